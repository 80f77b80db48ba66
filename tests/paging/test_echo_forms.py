"""An echo is known in whatever form it comes back, and one word that is new makes it news."""

import json
from collections.abc import Iterator
from textwrap import fill

import pytest

import lamina
from lamina import InvalidInputError, Memory
from lamina.core.changes import Action
from lamina.paging.echoes import without_echoes

RIVER = "Herons nest by the river in May. They come back to the same tree every year."
STORE = "We keep sessions in SQLite, because it is one file"
LEXER = "The lexer dropped 3.5% of tabs in nested lists (see foo.bar[0])"
BACKUP = "数据库备份每天凌晨两点执行。恢复测试每周一次。"
ALL = (RIVER, STORE, LEXER, BACKUP)


@pytest.fixture(params=["shown", "found"])
def finn(request: pytest.FixtureRequest) -> Iterator[Memory]:
    """An agent that was shown its memories, and one that only has them."""
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        agent = mem.agent("finn", project="web")
        agent.remember_many([{"text": one, "scope": "project/web"} for one in ALL])
        agent.fact.save("currency", "EUR")
        if request.param == "shown":
            agent.context("herons sqlite lexer 数据库 currency")
        yield agent


def lower(text: str) -> str:
    return text[0].lower() + text[1:]


def test_echoes_in_every_form_go(finn: Memory) -> None:
    before = finn.count()
    for said in (
        " ".join(ALL), RIVER + STORE + LEXER, f"I remember: {RIVER}; {STORE}; {LEXER}",
        f"As noted, {lower(STORE)}.", f"You told me that {lower(STORE)}.", f"{STORE}, as you said.",
        "Here is what I know:\n" + "\n".join(f"◦ {one}" for one in ALL), f"» {STORE} «",
        "\n".join(f"{n}) {one}" for n, one in enumerate(ALL, 1)), BACKUP.replace("。", "! "),
        "| fact | source |\n|---|---|\n" + "\n".join(f"| {one} | finn |" for one in ALL),
        json.dumps([{"text": one} for one in ALL]), json.dumps(ALL, ensure_ascii=False, indent=2),
        json.dumps({"key": "currency", "value": "EUR", "category": "general"}, indent=1),
        "currency: EUR", f"“{STORE}” and '{LEXER}'", STORE.upper(), STORE.lower(), STORE.title(),
        fill(f"{RIVER} {STORE}", 25), f"**{STORE}**", STORE.replace("SQLite", "_SQLite_"),
        STORE.replace("e", "e\u200b"), f"I know that {lower(STORE)} — and {lower(LEXER)}",
        f"<li>{STORE}</li>", f"{STORE} | {LEXER}",
    ):  # fmt: skip
        assert without_echoes(finn, said) == "", said
        assert finn.remember(said).action is Action.UNCHANGED, said
    assert finn.count() == before


def test_news_in_the_same_sentence_is_kept_whole(finn: Memory) -> None:
    for said in (
        STORE.replace("SQLite", "Postgres"), f"{STORE}, but now two", f"{STORE}; but now it is two",
        f"I remember: {STORE}; {LEXER}; the boat sank.", LEXER.replace("3.5", "4.5"),
        LEXER.replace("%", ""), LEXER.replace("[0]", "[1]"), LEXER.replace("foo.bar", "foo:bar"),
        "Herons do not nest by the river in May", f"It is wrong that {lower(STORE)}",
        f"~~{STORE}~~", f"❌ {STORE}", f"Not true:\n- {STORE}\n- {LEXER}", f"{STORE}?",
        f"{STORE}\nThat is no longer so.", f"This is outdated.\n{STORE}", f"{STORE} (obsolete)",
        "currency: CHF", '{"currency": "CHF"}', "| currency | CHF |", f"| {STORE} | maya |",
        fill("Herons nest by the river in May, but not since the flood.", 20), f"No. {STORE}",
        BACKUP.split("。")[0].replace("两", "三"), STORE.replace("SQLite", "SQLITE"),
        f"{STORE} only on Mondays", f"{STORE} → moved", json.dumps({"text": STORE, "valid": False}),
    ):  # fmt: skip
        assert without_echoes(finn, said) == said
        receipt = finn.remember(said)
        assert receipt.action is Action.CREATED, said
        finn.forget(receipt.id)


@pytest.mark.parametrize("said", [float("nan"), -1, float("inf"), "many", None])
def test_a_counter_that_does_not_count_is_named(finn: Memory, said: object) -> None:
    with pytest.raises(InvalidInputError, match="`count`"):
        finn.context("herons", count=lambda _: said)  # type: ignore[arg-type,return-value]


def test_nothing_remembered_steers_a_screen(finn: Memory) -> None:
    finn.remember("the owl is \x1b[31mred\x1b[0m and \u202esdrawkcab\u202c")
    assert "the owl is red and sdrawkcab" in finn.context("owl").text


def test_a_context_tells_the_new_value_alone() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        finn.fact.save("currency", "EUR")
        finn.append_log("THOUGHT", "Replied: reports use EUR", {"session": "other"})
        finn.append_log("THOUGHT", "Replied: the owl is brown", {"session": "main"})
        finn.append_log("ERROR", "The boat sank", {"session": "main"})
        finn.fact.save("currency", "CHF")
        found = finn.context(session="main")
        assert "EUR" not in found.text
        assert "owl" not in found.text
        assert "The boat sank" in found.text
        assert sorted(one.why for one in found.left_out) == [
            "it names a value that was corrected since", "the session itself tells it"
        ]  # fmt: skip
        assert "owl" in finn.context().text


def test_an_entry_that_was_cut_is_known_again_in_capitals_and_wrapped() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        finn.update_now("Ship the parser")
        finn.log.system(
            "The run began. " + "It read one page after the other, and " * 40 + "ended."
        )
        lines = [one for one in finn.context("").text.splitlines() if one.startswith("- [")]
        bare = [line.partition("] ")[2] for line in lines]
        assert any("characters…]" in line for line in bare)
        for said in ("; ".join(bare).upper(), fill(" ".join(bare), 40), fill(" ".join(bare), 17)):
            assert without_echoes(finn, said) == ""
