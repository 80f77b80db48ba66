"""What was put before a model is not learned back from its words; what is new always is."""

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lamina
from lamina import Memory
from lamina.core.changes import Action
from lamina.paging.context import Context
from lamina.paging.echoes import without_echoes
from tests.places import where

RIVER = "Herons nest by the river in May. They come back to the same tree every year."


@pytest.fixture
def mem() -> Iterator[Memory]:
    with lamina.open(":memory:") as opened:
        opened.configure("recall.embedder", "off")
        yield opened


def known(mem: Memory) -> Memory:
    finn = mem.agent("finn", project="web")
    finn.now.update("Count the herons", ["go to the river", "count them twice"])
    finn.log.error("the boat had a leak at the heron pond")
    finn.fact.save("boat", "the green one by the pier", category="general")
    finn.task.add("t-1", "Write down how many herons there are")
    finn.notebook("t-1").note("Forty herons were seen on Monday. Nobody counted the owls.")
    finn.remember(RIVER, scope="project/web")
    finn.remember(
        "heron lines\n  one: the first nest is in the oak\n  two: the second is in the ash"
    )
    finn.remember(
        "The old heron of the pond. " + "It stood still for hours. " * 60 + "Then it left."
    )
    mem.remember("Herons are grey birds with long legs", kind="fact")
    return finn


def echoes(context: Context, turn: int) -> list[str]:
    """The ways in which a model says what it was shown, as it is and disarranged."""
    rng = random.Random(turn)
    texts = [entry.record.text for entry in context.entries]
    lines = [entry.line for entry in context.entries]
    # What is shorter says nothing without its neighbour.
    split = [one.strip(".") for text in texts for one in text.split(". ") if "\n" not in text]
    sentences = [one for one in split if len(one.split()) > 3]
    rng.shuffle(sentences)
    ways = [
        [context.text], [context.blocks()], lines, texts,
        ["\n".join(lines)], ["\n".join(f"> {line}" for line in context.text.splitlines())],
        [f"“{text}”" for text in texts], [f'"{text.strip(".")}"' for text in texts],
        [f"* {text}" for text in texts], ["\n".join(rng.sample(lines, len(lines)))],
        [" ".join(context.text.split())], [". ".join(sentences)],
    ]  # fmt: skip
    return ways[turn % len(ways)]


def test_two_hundred_turns_of_echoes_make_no_record(mem: Memory) -> None:
    finn = known(mem)
    before, layers = finn.count(), ("knowledge", "notebook")
    for turn in range(200):
        if turn % 10 == 0:
            context = finn.context("where do herons nest?", task="t-1")
        for said in echoes(context, turn):
            assert without_echoes(finn, said) == "", (turn, said)
            draft = {"layer": layers[turn % 2], "kind": "fact"}
            receipt = finn.remember(said, **draft)  # type: ignore[arg-type]
            assert receipt.action is Action.UNCHANGED, (turn, said)
            assert finn.get(receipt.id).id == receipt.id
    assert finn.count() == before


@pytest.mark.parametrize("kind", ["json", "sqlite"])
def test_another_process_knows_echoes_by_the_words_of_memories(kind: str, tmp_path: Path) -> None:
    with lamina.open(where(kind, tmp_path / "store")) as first:
        first.configure("recall.embedder", "off")
        context = known(first).context("where do herons nest?", task="t-1")
    # What was shown is known to the store that is open, so here nobody was shown anything.
    with lamina.open(where(kind, tmp_path / "store")) as store:
        hook = store.agent("finn", project="web")
        before = hook.count()
        reply = "\n".join(["So here is what I know.", context.text, f"> {RIVER}", "I saw 3 owls."])
        assert without_echoes(hook, reply) == "So here is what I know.\nI saw 3 owls."
        shown = "\n".join(entry.line for entry in context.entries)
        assert without_echoes(hook, shown) == ""
        assert hook.remember(RIVER).action is Action.UNCHANGED
        assert hook.remember(f"- [2026-01-01 finn/agent] {RIVER}").action is Action.UNCHANGED
        assert hook.count() == before


def test_what_is_new_is_never_an_echo(mem: Memory) -> None:
    finn = known(mem)
    finn.context("where do herons nest?", task="t-1")
    assert without_echoes(finn, RIVER.replace("May", "June")) == "Herons nest by the river in June."
    assert finn.remember(RIVER.replace("May", "June")).action is Action.CREATED
    news = [
        "Herons nest by the river in May. No, they do not any more.",
        "Wrong. Herons nest by the river in May.",
        "Fifty herons were seen on Monday.",
        "Herons are grey birds with short legs",
        "the green one by the pier is gone",
        "Do herons nest by the river in May?",
        "-5 herons",
    ]
    for text in news:
        assert without_echoes(finn, text) == text
        assert finn.remember(text).action is Action.CREATED, text
    mixed = f"{RIVER} And one fell down this morning."
    assert "one fell down this morning" in without_echoes(finn, mixed)
    assert finn.remember(mixed).action is Action.CREATED


def test_a_key_and_a_wider_scope_say_something_new(mem: Memory) -> None:
    finn = known(mem)
    mem.project("web").fact.save("boat", "the blue one at the dam")
    note = "Forty herons were seen on Monday. Nobody counted the owls."
    finn.context("herons", task="t-1")
    assert finn.fact.save("boat", "the green one by the pier").action is Action.UNCHANGED
    assert finn.fact.save("ship", "the green one by the pier").action is Action.CREATED
    assert finn.fact.save("boat", "the red one by the pier").action is Action.REVISED
    assert finn.remember(note, scope="project/web").action is Action.CREATED
    assert finn.knowledge.put("pitfall", "owls", note).action is Action.CREATED


def test_people_repeat_what_they_like_and_agents_what_they_do(mem: Memory) -> None:
    finn = known(mem)
    finn.context("where do herons nest?")
    assert mem.remember(RIVER, scope="project/web").action is Action.CREATED
    assert mem.project("web").remember(RIVER).action is Action.CREATED
    boss = mem.agent("boss", project="web", role="orchestrator")
    boss.context("where do herons nest?")
    assert boss.remember(RIVER).action is Action.CREATED
    assert finn.session("s-1").append("assistant", RIVER).action is Action.CREATED
    assert finn.log.thought(RIVER).action is Action.CREATED
    assert finn.remember(RIVER, via="web").action is Action.CREATED


def test_an_echo_is_use_of_the_original_and_the_rest_is_kept(mem: Memory) -> None:
    finn = known(mem)
    [original] = [one for one in finn.query({"scope": "project/web"}) if one.text == RIVER]
    finn.context("where do herons nest?")
    before = mem.store.usage(finn.reach, [original.id])[original.id].hits
    receipt = finn.remember_many([{"text": "Owls hoot"}, {"text": RIVER}, {"text": "Rooks caw"}])
    actions = [one.action for one in receipt.outcomes]
    assert actions == [Action.CREATED, Action.UNCHANGED, Action.CREATED]
    assert receipt.outcomes[1].id == original.id
    assert finn.get(receipt.outcomes[2].id).text == "Rooks caw"
    assert mem.store.usage(finn.reach, [original.id])[original.id].hits == before + 1


def test_what_was_forgotten_since_is_not_learned_back(mem: Memory) -> None:
    finn = known(mem)
    finn.context("where do herons nest?")
    [original] = [one for one in finn.query({"scope": "project/web"}) if one.text == RIVER]
    mem.forget(original.id)
    assert finn.remember(RIVER).id == original.id
    mem.erase(original.id)
    assert finn.remember(RIVER).action is Action.CREATED


def test_what_an_agent_may_not_do_stays_refused(mem: Memory) -> None:
    finn = known(mem)
    finn.context("where do herons nest?")
    with pytest.raises(lamina.ForbiddenError):
        finn.remember(RIVER, scope="project/other")
    other = mem.agent("eve", project="other")
    assert without_echoes(other, RIVER) == RIVER
    assert other.remember(RIVER).action is Action.CREATED


def test_the_command_line_is_another_process(tmp_path: Path) -> None:
    with lamina.open(tmp_path) as mem:
        mem.configure("recall.embedder", "off")
        known(mem)
        before = mem.count()
    done = subprocess.run(
        [sys.executable, "-m", "lamina.surfaces.cli.main", "remember", "--dir", str(tmp_path),
         "--project", "web", "--as", "finn", f"> {RIVER}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "unchanged" in done.stdout.lower() + done.stderr.lower()
    with lamina.open(tmp_path) as mem:
        assert mem.count() == before


def test_what_adds_a_kind_a_tag_or_a_value_is_news_unless_it_was_shown() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        said = "the kettle in the kitchen is not mended"
        first = finn.remember(said, tags=["kitchen"])
        assert finn.remember(said).action is Action.UNCHANGED
        assert finn.remember(said, tags=["tea"]).id != first.id
        assert finn.remember(said, kind="pitfall").id != first.id
        assert finn.remember(said, data={"room": 4}).id != first.id
        assert said in finn.context("is the kettle mended?").text
        assert finn.remember(said, tags=["garden"]).action is Action.UNCHANGED
