"""A scope has one spelling, one stream, and contains what lies below it and nothing else."""

from itertools import product

import pytest

from lamina.core.scope import GLOBAL, Scope, stream_of
from lamina.errors import InvalidInputError
from tests.core.test_names import HOSTILE_NAMES

GOOD = {
    "global": "global",
    "global/task/t": "global",
    "global/agent/a/session/s": "global",
    "project/web": "project/web",
    "project/web/agent/finn": "project/web",
    "project/web/task/t-7": "project/web",
    "project/web/session/s": "project/web",
    "project/web/agent/a/task/t/session/s": "project/web",
    "user/ann": "user/ann",
    "user/ann/agent/a": "user/ann",
    "agent/finn": "agent/finn",
    "agent/finn/task/t/session/s": "agent/finn",
}
BAD = [
    "", "/", "global/", "/global", "globals", "Global", "project", "project/", "project//x",
    "project/web/", "project/web/agent", "project/web/agent/", "project/web/x", "project/web/x/y",
    "project/web/task/t/agent/a", "project/web/session/s/task/t", "project/web/agent/a/agent/b",
    "project/web/task/t/task/u", "agent/a/agent/b", "user", "team/x", "project/web/user/ann",
    "project/web//agent/a", "project/../global", "project/web/agent/../../x", "project/WEB",
    "global/project/web", "project/web\n", "project/web/agent/a/task/t/session/s/x/y/z", "*",
    "project/%", "project/web/" + "agent/a/" * 50, "./global", "project\\web", "project/web ",
]  # fmt: skip


@pytest.mark.parametrize("path", GOOD)
def test_a_scope_knows_its_path_and_stream(path: str) -> None:
    scope = Scope.of(path)
    assert (str(scope), scope.path, scope.stream) == (path, path, GOOD[path])
    assert stream_of(path) == GOOD[path]
    assert Scope.of(scope) is scope


@pytest.mark.parametrize("path", BAD, ids=lambda path: ascii(path)[:40])
def test_whatever_is_not_a_scope_is_refused(path: str) -> None:
    with pytest.raises(InvalidInputError):
        Scope.of(path)


@pytest.mark.parametrize("path", [None, 1, b"global", ["global"], ("project", "web")])
def test_a_scope_is_text(path: object) -> None:
    with pytest.raises(InvalidInputError, match="where"):
        Scope.of(path, "where")  # type: ignore[arg-type]  # the wrong type is the point


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=ascii)
def test_no_hostile_name_gets_into_a_scope(name: str) -> None:
    for form in ("project/{}", "user/{}", "agent/{}", "project/web/agent/{}", "global/task/{}"):
        with pytest.raises(InvalidInputError):
            Scope.of(form.format(name))
    for level in ("agent", "task", "session"):
        with pytest.raises(InvalidInputError):
            Scope.of("project/web").child(level, name)


def test_a_child_lies_one_level_below() -> None:
    web = Scope.of("project/web")
    finn = web.child("agent", "finn")
    assert finn.path == "project/web/agent/finn"
    assert finn.child("task", "t").part("agent") == "finn"
    assert finn.part("project") == "web"
    assert web.part("agent") is None
    assert GLOBAL.child("task", "t").part("task") == "t"
    with pytest.raises(InvalidInputError):
        finn.child("agent", "other")
    with pytest.raises(InvalidInputError):
        finn.child("team", "x")


def test_containing_goes_by_whole_names() -> None:
    paths = [
        *GOOD, "project/web2", "project/we", "project/web-2", "project/web_", "user/web",
        "project/web2/agent/finn", "agent/finn2",
    ]  # fmt: skip
    for one, other in product(map(Scope.of, paths), repeat=2):
        parts, others = one.path.split("/"), other.path.split("/")
        assert one.contains(other) == (others[: len(parts)] == parts)


def test_scopes_sort_and_compare_by_their_path() -> None:
    scopes = [Scope.of(path) for path in GOOD]
    assert [scope.path for scope in sorted(scopes)] == sorted(GOOD)
    assert Scope.of("global") == GLOBAL
    assert len({Scope.of("project/web"), Scope.of("project/web")}) == 1
