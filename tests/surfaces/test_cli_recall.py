"""`lamina recall` and `lamina why-not`: what a person and a program are told."""

import re
import sys
from pathlib import Path

import pytest

import lamina as package
from lamina.core.record import Record
from lamina.results import Hit, Recall
from lamina.surfaces.cli import hits
from lamina.testing import FakeEmbedder
from lamina.testing.builders import a_record
from tests.indexes.near import needs_lance
from tests.surfaces.shell import Call, on_terminal

BAR = re.compile(r"   (\w[\w -]*?) +([+-]\d+\.\d\d)  ([+-]+)$", re.MULTILINE)


@pytest.fixture
def tea(lamina: Call) -> str:
    """Something to be found, and something else."""
    lamina("remember", "The heron nests by the river", "--key", "heron")
    return lamina("remember", "Ann drinks green tea", "--key", "tea", "-q").out.strip()


def test_a_hit_says_how_likely_it_is(lamina: Call, tea: str) -> None:
    [hit, *_] = lamina("recall", "green tea", "--json").json["hits"]
    assert hit["record"]["id"] == tea
    assert 0 < hit["score"] < 1
    shown = lamina("recall", "green tea").out.splitlines()
    assert shown[0] == "1. Ann drinks green tea"
    assert shown[1].startswith(f"   {hits.percent(hit['score'])} · fact · tea · global · ")


def test_parts_add_up_and_are_drawn_to_one_scale(lamina: Call, tea: str) -> None:
    lamina("config", "set", "recall.use", "off")
    found = lamina("recall", "green tea", "--json").json["hits"][0]
    assert found["record"]["id"] == tea
    shown = lamina("recall", "green tea", "-k", "1", "--explain").out
    drawn = {name: (float(value), bar) for name, value, bar in BAR.findall(shown)}
    assert set(drawn) == {name for name, value in found["parts"].items() if abs(value) >= 0.005}
    for name, (value, bar) in drawn.items():
        assert value == pytest.approx(found["parts"][name], abs=0.006)
        assert set(bar) == {"+" if value > 0 else "-"}
    longest = max(drawn.values(), key=lambda part: abs(part[0]))
    assert len(longest[1]) == max(len(bar) for _, bar in drawn.values()) == 20
    assert "matched: " in shown
    assert re.search(r"^Took [\d.]+ ms\.$", shown, re.MULTILINE)


@pytest.mark.usefixtures("tea")
def test_nothing_relevant_is_said_and_is_no_failure(lamina: Call) -> None:
    silent = lamina("recall", "green tea", "--floor", "1")
    assert (silent.status, silent.out, silent.err) == (0, "Nothing relevant is remembered.\n", "")
    explained = lamina("recall", "green tea", "--floor", "1", "--explain").out
    assert "too unlikely (--floor)" in explained
    assert "`lamina why-not" in explained
    counted = lamina("recall", "green tea", "--floor", "1", "--json").json
    assert counted["abstained"]
    assert counted["doubtful"] >= 1
    assert "why-not" not in lamina("recall", "green tea", "--explain").out


@pytest.mark.usefixtures("tea")
def test_the_floor_is_a_setting_and_an_option(lamina: Call) -> None:
    def found(*more: str) -> int:
        return len(lamina("recall", "green tea", *more, "--json").json["hits"])

    assert found("--floor", "0") >= found() >= 1
    assert lamina("config", "set", "recall.floor", "1").status == 0
    assert (found(), found("--floor", "0") >= 1) == (0, True)
    assert lamina("config", "set", "recall.floor", "2").status == 2


@pytest.mark.usefixtures("tea")
def test_the_engine_is_a_setting_and_what_it_lacks_is_told(
    lamina: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lamina("config", "get", "recall.engine").out == "builtin\n"
    monkeypatch.setitem(sys.modules, "lancedb", None)
    refused = lamina("config", "set", "recall.engine", "lance")
    assert refused.status not in (0, 1)
    assert "needs lancedb" in refused.err
    assert "pip install 'lamina[lancedb]'" in refused.err
    assert lamina("config", "get", "recall.engine").out == "builtin\n"


@needs_lance
@pytest.mark.usefixtures("tea")
def test_the_engine_that_was_chosen_holds_for_the_store(lamina: Call) -> None:
    assert lamina("config", "set", "recall.engine", "lance").out == "lance\n"
    found = lamina("recall", "green tea", "--json").json
    assert len(found["hits"]) >= 1
    assert found["degraded"] == []


def test_expired_memories_are_counted(lamina: Call, store: Path) -> None:
    lamina("remember", "Ann drinks green tea", "--expires", "2026-01-01T00:00:00Z")
    with package.open(store) as mem:
        assert mem.count() == 0
    assert lamina("recall", "green tea", "--json").json["expired"] == 1
    assert "1 expired" in lamina("recall", "green tea", "--explain").out


@pytest.mark.usefixtures("tea")
def test_what_cannot_take_part_is_noted_beside_the_result(lamina: Call, store: Path) -> None:
    with package.open(store, embedder=FakeEmbedder(name="other")) as mem:
        mem.reindex()
    answer = lamina("recall", "green tea")
    assert "Ann drinks green tea" in answer.out
    assert answer.err.startswith("Note: vectors: ")
    assert lamina("recall", "green tea", "--quiet").err == ""
    as_json = lamina("recall", "green tea", "--json")
    assert (as_json.err, len(as_json.json["degraded"])) == ("", 1)


def test_a_budget_limits_what_comes_back(lamina: Call) -> None:
    for text in (
        "Ann drinks green tea in the morning, before anybody else is up",
        "Green tea is kept on the top shelf, behind the flour and the rice",
        "The shop at the corner sells green tea on Saturdays until noon",
    ):
        lamina("remember", text)

    def sizes(budget: int) -> list[int]:
        asked = ("recall", "green tea", "--floor", "0", "--budget", str(budget), "--json")
        return [hit["record"]["tokens"] for hit in lamina(*asked).json["hits"]]

    every = sizes(100_000)
    assert len(every) == 3
    budget = every[0] + every[1]
    assert 0 < sum(sizes(budget)) <= budget < sum(every)


@pytest.mark.usefixtures("tea")
def test_now_and_diversity_are_taken(lamina: Call) -> None:
    for flags in (("--now", "2026-03-01T12:00:00Z"), ("--now", "7d"), ("--diversity", "0.7")):
        answer = lamina("recall", "green tea", *flags, "--json")
        assert (answer.status, len(answer.json["hits"]) >= 1) == (0, True)


# -- why not


def test_a_memory_that_is_found_is_named_with_its_place(lamina: Call, tea: str) -> None:
    found = lamina("why-not", "tea", "green tea", "--json").json
    assert (found["record"], found["query"], found["rank"]) == (tea, "green tea", 1)
    assert found["reasons"] == []
    assert found["score"] == lamina("recall", "green tea", "--json").json["hits"][0]["score"]
    shown = lamina("why-not", "tea", "green", "tea").out
    assert shown.startswith(f"Found in place 1: {tea}\n")
    assert f"likelihood of {hits.percent(found['score'])}." in shown
    assert BAR.search(shown)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (("--floor", "1"), "wanted"),
        (("--scope", "project/web"), "It is in `global`, outside the scope that was searched."),
        (("--where", '{"kind": "decision"}'), "The filter on `kind` leaves it out."),
        (("--layer", "episode"), "The filter on `layer` leaves it out."),
        (("--as-of", "52w"), "It was not there at the time asked about."),
    ],
)
def test_what_kept_a_memory_out_is_said_in_a_sentence(
    asked: tuple[str, ...], reason: str, lamina: Call, tea: str
) -> None:
    answer = lamina("why-not", "tea", "green tea", *asked, "--explain")
    assert answer.status == 0
    assert answer.out.startswith(f"Not found: {tea}\n")
    assert reason in answer.out
    told = lamina("why-not", tea, "green tea", *asked, "--json").json
    assert (told["rank"], len(told["reasons"])) == (None, 1)


def test_what_was_forgotten_or_ran_out_says_so(lamina: Call, tea: str) -> None:
    lamina("forget", "tea")
    assert "It is forgotten." in lamina("why-not", tea, "tea").out
    old = lamina("remember", "old tea", "--expires", "2026-01-01T00:00:00Z", "-q").out.strip()
    assert "Its time has run out." in lamina("why-not", old, "tea").out


@pytest.mark.usefixtures("tea")
def test_a_memory_beyond_the_last_place_is_told_so(lamina: Call) -> None:
    lamina("remember", "Bob drinks green tea", "--key", "bob")
    first = lamina("recall", "green tea", "-k", "1", "-q").out.strip()
    other = "bob" if lamina("get", "tea", "--json").json["id"] == first else "tea"
    told = lamina("why-not", other, "green tea", "-k", "1", "--json").json
    assert told["rank"] is None
    assert told["reasons"]
    assert told["score"] > 0


def test_what_one_may_not_see_is_not_there(lamina: Call) -> None:
    secret = lamina("--project", "api", "remember", "green tea", "--key", "t", "-q").out.strip()
    for name in ("t", secret):
        refused = lamina("--project", "web", "why-not", name, "tea", "--json")
        assert (refused.status, refused.json["error"]["code"]) == (3, "not_found")
        refused = lamina("--project", "web", "--as", "finn", "why-not", name, "tea")
        assert (refused.status, refused.out) == (3, "")


def test_why_not_needs_a_question(lamina: Call, tea: str) -> None:
    assert lamina("why-not", tea).status == 2
    assert lamina("why-not", "nothing", "tea").status == 3


# -- how it looks


def _hit(record: Record, **parts: float) -> Hit:
    return Hit(record, 0.5, (), parts)


@pytest.mark.parametrize(
    ("score", "shown"),
    [(0.0, "0%"), (0.0004, "<1%"), (0.874, "87%"), (0.9999, ">99%"), (1.0, "100%")],
)
def test_only_what_is_certain_looks_certain(score: float, shown: str) -> None:
    assert hits.percent(score) == shown


def test_bars_have_eighths_where_a_terminal_can_draw_them() -> None:
    parts = {"words": 2.0, "meaning": 1.0, "age": -0.05, "trust": 0.0}
    rows = [
        "".join(span.text for span in row)
        for row in hits.part_lines(parts, hits.largest([parts]), blocks=True)
    ]
    assert rows == [
        "   words     +2.00  " + "█" * 20,
        "   meaning   +1.00  " + "█" * 10,
        "   age       -0.05  ▌",
    ]


def test_everything_that_was_left_out_is_counted() -> None:
    said = " ".join(hits.left_out(Recall((), 2, 1.5, (), expired=3, doubtful=4, repeated=5)))
    for words in ("2 older versions", "3 expired", "4 too unlikely", "5 nearly the same"):
        assert words in said
    assert list(hits.left_out(Recall((_hit(a_record()),), 0, 1.5))) == ["Took 1.5 ms."]


def test_a_long_text_shows_the_passage_that_matched() -> None:
    text = "before " * 400 + "herons nest here " + "after " * 400
    shown = hits.passage(text, ("heron",))
    assert "herons nest here" in shown
    assert len(shown) < 900
    assert re.fullmatch(r"… (before )+herons nest here (after )*after …", shown)
    assert hits.passage("herons", ("heron",)) == "herons"
    assert len(hits.passage("x" * 10_000, ("heron",))) < 900


def test_many_lines_are_shown_in_part() -> None:
    text = "\n".join(f"line {number}" for number in range(30))
    assert hits.few_lines(text, ("line",)) == "\n".join(f"line {n}" for n in range(8))
    late = hits.few_lines(text.replace("line 20", "herons"), ("heron",)).splitlines()
    assert (len(late), late[:2]) == (8, ["line 19", "herons"])
    end = hits.few_lines(text.replace("line 29", "herons"), ("heron",)).splitlines()
    assert (len(end), end[-1]) == (8, "herons")
    assert hits.few_lines("a\nb", ("heron",)) == "a\nb"


def test_a_terminal_counts_the_lines_that_it_leaves_out(lamina: Call, store: Path) -> None:
    lamina("remember", "\n".join(f"heron {number}" for number in range(20)))
    asked = ("recall", "herons", "--floor", "0")
    shown = on_terminal("--dir", str(store), *asked, cwd=store.parent).out
    assert "… 12 more lines" in shown
    assert shown.count("\x1b[1;33mheron\x1b[0m") == 8
    assert "more lines" not in lamina(*asked).out


def test_a_word_instead_of_a_name_is_answered_with_how_to_find_one(lamina: Call) -> None:
    lamina("remember", "the gateway times out")
    refused = lamina("why-not", "gateway", "x")
    assert refused.status == 3
    assert "`lamina list`" in refused.err
    assert "`lamina recall --json`" in refused.err


@pytest.mark.parametrize("command", [("recall", "x", "--where", "{"), ("query", "{kind: x}")])
@pytest.mark.usefixtures("store")
def test_json_that_is_none_is_answered_with_an_example(
    lamina: Call, command: tuple[str, ...]
) -> None:
    refused = lamina(*command)
    assert refused.status == 2
    assert """Try: Write it like '{"kind": "decision",""" in refused.err


def test_a_terminal_shows_bars_and_passages(lamina: Call, store: Path) -> None:
    lamina("remember", "before " * 400 + "herons nest here " + "after " * 400)
    asked = ("recall", "herons", "--floor", "0", "--explain")
    shown = on_terminal("--dir", str(store), *asked, cwd=store.parent)
    assert shown.status == 0
    assert "\x1b[1;33mherons\x1b[0m" in shown.out
    assert shown.out.count("before") < 40
    assert "█" in shown.out
    assert lamina(*asked).out.count("before") == 400


def test_a_piece_of_a_file_is_shown_with_its_lines(lamina: Call, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "guide.md").write_text("# Tea\n\nAnn drinks green tea every day.\n")
    assert lamina("index", str(tmp_path / "tree")).status == 0
    assert " · guide.md:1-3 · " in lamina("recall", "green tea", "--floor", "0").out
