"""The invariants of the file-based design (row D19), held against random histories on every store.

Append-only episodes, logged writes, enforced scope, readable files, searchability and timestamps.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lamina import LaminaError, Memory, NotFoundError
from lamina.core.access import EVERYTHING
from lamina.core.changes import Action, Event
from lamina.core.layers import LAYERS
from lamina.core.record import Record, canonical_bytes, to_json
from lamina.exchange import export_lines, import_lines
from lamina.files import sync
from lamina.stores.questions import Query
from tests.places import mem

if TYPE_CHECKING:
    from lamina.core.draft import Draft

__all__ = ["mem"]

TEXTUAL = (".md", ".json", ".jsonl")
APPEND_ONLY = [layer.name for layer in LAYERS.values() if layer.append_only]
WRITABLE = [layer for layer in LAYERS.values() if not layer.pipeline_only]
SCOPES = ("global", "project/web", "project/web/task/t-1", "project/api", "user/ann")
STEPS = 120


def _everything(mem: Memory) -> dict[str, Record]:
    return {record.id: record for record in mem.store.query(Query(reach=EVERYTHING))}


def _events(mem: Memory) -> list[Event]:
    return [event for name in mem.store.streams() for event in mem.store.events(name, limit=None)]


def _step(rng: random.Random, mem: Memory, number: int) -> None:
    """One change of any sort, or one that is refused and must leave nothing behind."""
    records = sorted(_everything(mem).values(), key=lambda record: record.id)
    known = rng.choice(records) if records else None
    choice = rng.randrange(12)
    if known is None or choice < 5:
        _write(rng, mem, number)
    elif choice == 5:
        mem.edit(known.id, f"edited {number}", tags=[f"t{number}"])
    elif choice == 6:
        mem.forget(known.id)
    elif choice == 7:
        mem.undo(rng.choice(_events(mem)).tx)
    elif choice == 8:
        mem.accept(known.id)
    elif choice == 9:
        # Each looks through the files for what is left of it: enough of them, and no more.
        (mem.erase if number % 4 == 0 else mem.forget)(known.id)
    elif choice == 10:
        import_lines(mem, rng.sample(list(export_lines(mem)), 1))
    else:
        batch: list[Draft] = [{"text": f"batch {number} {n}", "key": f"k{n}"} for n in range(3)]
        mem.remember_many([*batch, {"text": ""}] if rng.random() < 0.3 else batch)


def _write(rng: random.Random, mem: Memory, number: int) -> None:
    layer = rng.choice(WRITABLE)
    fields: dict[str, Any] = {"layer": layer.name, "kind": layer.kinds[0]}
    if rng.random() < 0.5:
        fields["key"] = rng.choice("abc")
    project = rng.choice(("web", "api"))
    handle = rng.choice((mem, mem.project(project), mem.agent("finn", project=project)))
    if handle is mem:
        fields["scope"] = rng.choice(SCOPES)
    handle.remember(f"note {number}", **fields)


def _history(mem: Memory, seed: int) -> Iterator[tuple[dict[str, Record], dict[str, Record]]]:
    """What there was before each step and after it."""
    rng = random.Random(seed)
    after: dict[str, Record] = {}
    for number in range(STEPS):
        before = after
        try:
            _step(rng, mem, number)
        except LaminaError:
            assert _everything(mem) == before
        after = _everything(mem)
        yield before, after


def _mutated(before: dict[str, Record], after: dict[str, Record]) -> set[str]:
    def said(records: dict[str, Record], name: str) -> bytes | None:
        return canonical_bytes(records[name]) if name in records else None

    return {name for name in {*before, *after} if said(before, name) != said(after, name)}


@pytest.mark.parametrize("seed", [1, 2])
def test_every_mutation_has_exactly_one_event(mem: Memory, seed: int) -> None:
    """Logged writes: what changed in the store is what the log says, no more and no less."""
    mutations = 0
    for before, after in _history(mem, seed):
        known = _events(mem)
        changed = _mutated(before, after)
        mutations += len(changed)
        assert len(known) == mutations
        newest: dict[str, Event] = {event.record: event for event in known}
        for name in changed:
            event, record = newest[name], after.get(name)
            assert (event.action is Action.ERASED) is (record is None)
            assert record is None or event.rev == record.rev
    assert mutations > STEPS // 2
    assert not any(one.severity.is_damage for one in mem.verify(mem.anchor()))


def test_a_refused_write_leaves_no_event(mem: Memory) -> None:
    kept = mem.remember("one", key="k")
    before = _events(mem)
    refusals: tuple[Callable[[], object], ...] = (
        lambda: mem.remember("two", key="k", expect=9),
        lambda: mem.remember("three", layer="nowhere"),
        lambda: mem.remember_many([{"text": "four"}, {"text": ""}]),
        lambda: mem.edit(kept.id, "five", expect=9),
        lambda: mem.agent("finn", project="web").remember("six", scope="project/api"),
    )
    for refused in refusals:
        with pytest.raises(LaminaError):
            refused()
    mem.remember("one", key="k")
    assert _events(mem) == before


@pytest.mark.parametrize("layer", APPEND_ONLY)
def test_what_was_appended_is_never_rewritten(mem: Memory, layer: str) -> None:
    """Append-only: no way in gives an episode, a log entry or a message other content."""
    kind = LAYERS[layer].kinds[0]
    kept = mem.remember("as it happened", layer=layer, kind=kind, key="k", data={"n": 1})
    told = to_json(mem.get(kept.id))
    later = json.dumps({**told, "text": "as it suits", "rev": 2})
    ways: tuple[Callable[[], object], ...] = (
        lambda: mem.edit(kept.id, "as it suits"),
        lambda: mem.edit(kept.id, data={"n": 2}),
        lambda: mem.edit(kept.id, tags=["x"]),
        lambda: mem.remember("as it suits", layer=layer, kind=kind, key="k"),
        lambda: mem.remember("as it suits", layer=layer, kind=kind, key="k", expect=1),
        lambda: import_lines(mem, [later]),
    )
    for way in ways:
        with suppress(LaminaError):
            way()
        [version, *_] = mem.history(kept.id)
        assert version.record is not None
        assert {one.record.text for one in mem.history(kept.id) if one.record} == {"as it happened"}
        assert mem.get(kept.id).data == {"n": 1}
    mem.undo(mem.forget(kept.id).tx)
    assert mem.get(kept.id).text == "as it happened"
    mem.erase(kept.id)
    with pytest.raises(NotFoundError):
        mem.get(kept.id)


def test_no_handle_is_told_what_lies_beyond_its_scope(mem: Memory) -> None:
    """Enforced scope: every way to ask, now and about the past, at every handle."""
    secrets: dict[str, str] = {}
    for scope in (*SCOPES, "project/web/agent/ann", "project/web/agent/finn"):
        secrets[scope] = f"canary{len(secrets)}"
        mem.remember(f"heron {secrets[scope]}", scope=scope, layer="knowledge", key="k")
        mem.remember(f"heron {secrets[scope]} again", scope=scope, layer="knowledge", key="k")
    sight = {
        mem.project("web"): {"global", *(one for one in secrets if one.startswith("project/web"))},
        mem.agent("finn", project="web"): {
            "global", "project/web", "project/web/task/t-1", "project/web/agent/finn",
        },
        mem.agent("ann", project="web", role="reader"): {
            "global", *(one for one in secrets if one.startswith("project/web")),
        },
        mem.agent("skill", project="web", role="skill"): set(),
        mem.agent("loner"): {"global"},
    }  # fmt: skip
    everywhere = [record.id for record in mem.query(limit=100)]
    for handle, scopes in sight.items():
        said = json.dumps(list(_told(handle, everywhere)))
        seen = {scope for scope, canary in secrets.items() if canary in said}
        assert seen == scopes, handle.principal


def _told(handle: Memory, ids: Sequence[str]) -> Iterator[Any]:
    """Everything that a handle can be made to say."""
    then = handle.cursor()
    for as_of in (None, then):
        yield [to_json(one) for one in handle.query(as_of=as_of)]
        yield [to_json(hit.record) for hit in handle.recall("heron", k=100, as_of=as_of).hits]
        for name in (*ids, "k"):
            try:
                yield to_json(handle.get(name, as_of=as_of))
            except LaminaError as error:
                yield str(error)
    for name in ids:
        try:
            yield [to_json(one.record) for one in handle.history(name) if one.record]
        except LaminaError as error:
            yield str(error)
    yield [to_json(one.record) for one in handle.changes() if one.record]
    yield [one.event.record for one in handle.changes()]
    yield list(export_lines(handle, history=True))


def test_what_is_written_is_found_at_once_and_what_is_gone_is_not(mem: Memory) -> None:
    """Searchability: in every layer that has words, by the words in force and no others."""

    def found(word: str, layer: str) -> list[str]:
        return [hit.record.id for hit in mem.recall(word, layers=[layer]).hits]

    old, new = "heron", "egret"
    for layer in (one for one in WRITABLE if one.indexed):
        kept = mem.remember(f"a {old}", layer=layer.name, kind=layer.kinds[0], key="k")
        assert found(old, layer.name) == [kept.id]
        plain = [hit.record.id for hit in mem.recall(old).hits]
        assert plain == ([kept.id] if layer.recalled else [])
        if not layer.append_only:
            mem.edit(kept.id, f"an {new}")
            assert (found(old, layer.name), found(new, layer.name)) == ([], [kept.id])
        word = old if layer.append_only else new
        gone = mem.forget(kept.id)
        assert found(word, layer.name) == []
        mem.undo(gone.tx)
        assert found(word, layer.name) == [kept.id]
        mem.erase(kept.id)
        assert found(word, layer.name) == []


def test_everything_carries_the_time_at_which_it_happened(mem: Memory) -> None:
    """Timestamps: in UTC, between the call and its answer, and never backwards in a stream."""
    started = _now()
    for _ in _history(mem, 3):
        pass
    ended = _now()
    events = _events(mem)
    times = {(event.record, event.rev): event.at for event in events}
    for event in events:
        assert event.at.utcoffset() == timedelta(0)
        assert started <= event.at <= ended
    for name in mem.store.streams():
        own = [event.at for event in mem.store.events(name, limit=None)]
        assert own == sorted(own)
    for record in _everything(mem).values():
        assert started <= record.created_at <= record.updated_at <= ended
        assert record.created_at.utcoffset() == record.updated_at.utcoffset() == timedelta(0)
        assert record.updated_at == times[record.id, record.rev]


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  # the test's own present


def test_what_agents_keep_can_be_read_as_text(mem: Memory, tmp_path: Path) -> None:
    """The fourth invariant: whatever has a face in files is there as UTF-8 text, word for word."""
    finn = mem.agent("finn", project="web")
    finn.now.update("word-now", ["word-step"])
    finn.log.thought("word-log")
    finn.remember("word-memory")
    finn.session("s-1").append("user", "word-session")
    finn.task.add("t-1", "word-task")
    tmp_path.joinpath("files").mkdir()
    sync(mem, tmp_path / "files")
    shown = [path for path in tmp_path.joinpath("files").rglob("*") if path.suffix in TEXTUAL]
    text = "\n".join(path.read_text(encoding="utf-8") for path in shown)
    for word in ("now", "step", "log", "memory", "session", "task"):
        assert f"word-{word}" in text
