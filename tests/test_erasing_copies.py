"""Erasing what was compacted or shown: its copy goes too, its summaries are named."""

from pathlib import Path

import pytest

import lamina
from lamina.memory import AgentMemory
from lamina.paging.echoes import without_echoes
from lamina.paging.shown import shown_to
from tests.places import STORES, where

_SAID = "We decided that the marmalade codeword is walrus-17"


def _compacted(memory: AgentMemory) -> tuple[str, set[str]]:
    """The id of a message that was compacted, and those of the two summaries that tell of it."""
    session = memory.session("main")
    message = session.append("user", f"{_SAID}. It rains.", tool="the kettle of 1999").id
    for number in range(12):
        session.append("user", f"Message {number} is about the weather")
    done = session.compact(force=True)
    assert done is not None
    assert _SAID in done.summary
    return message, {done.archive_id, session.view()[0].id}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("by_copy", [False, True])
def test_the_archived_copy_goes_with_the_message(store: str, by_copy: bool, tmp_path: Path) -> None:
    with lamina.open(where(store, tmp_path / "store")) as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        message, summaries = _compacted(finn)
        [copy] = finn.query({"layer": "archive", "data.entry": message})
        report = finn.erase(copy.id if by_copy else message)
        assert set(report.records) == {message, copy.id}
        assert set(report.mentions) == summaries
        assert report.complete
        assert not finn.erase(*report.mentions).mentions
        assert not finn.recall("marmalade", layers=["session", "archive"]).hits


def test_what_was_erased_is_not_known_again() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn, eve = (mem.agent(name, project="web") for name in ("finn", "eve"))
        finn.knowledge.put("decision", "tea", "Tea is at four")
        gone = finn.knowledge.put("decision", "code", _SAID)
        for one in (finn, eve):
            one.context("codeword tea")
            assert without_echoes(one, _SAID) == ""
        finn.erase(gone.id)
        for one in (finn, eve):
            assert _SAID not in str(vars(shown_to(one)))
            assert without_echoes(one, _SAID) == _SAID
            assert without_echoes(one, "Tea is at four") == ""


def test_what_another_process_erased_is_not_known_again() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn = mem.agent("finn", project="web")
        gone = finn.knowledge.put("decision", "code", _SAID)
        finn.context("codeword")
        path = finn.path_for(finn.principal.surface)
        path.commit([path.erase(finn.get(gone.id))])
        assert without_echoes(finn, _SAID) == _SAID
        assert _SAID not in str(vars(shown_to(finn)))


def test_a_context_shows_nothing_that_is_not_in_force() -> None:
    with lamina.open(":memory:") as mem:
        mem.configure("recall.embedder", "off")
        finn, eve = (mem.agent(name, project="web") for name in ("finn", "eve"))
        finn.fact.save("gate", "The heron nests at the superseded gate")
        finn.fact.save("gate", "The heron nests at the gate in force")
        finn.forget(finn.remember("The heron nests at the forgotten gate").id)
        finn.remember("The heron nests at the expired gate", expires="2020-01-01T00:00:00Z")
        eve.remember("The heron nests at the gate of another", layer="notebook")
        mem.project("other").remember("The heron nests at the gate elsewhere")
        mem.configure("knowledge.accept", "review")
        finn.knowledge.put("decision", "gate", "The heron nests at the proposed gate")
        context = finn.context("Where does the heron nest, at which gate?")
        assert [entry.record.text for entry in context.entries] == [
            "The heron nests at the gate in force"
        ]
        assert not context.left_out
        assert context.considered == context.entries[0].tokens
