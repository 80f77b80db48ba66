"""A model may propose: it waits for a person, cites a line that is there, and spoils nothing."""

from pathlib import Path
from typing import Any

import pytest

from lamina import Memory
from lamina.core.record import State, Trust
from lamina.errors import InvalidInputError
from lamina.extraction import Proposal
from lamina.testing import ScriptedProposer
from tests.sources.trees import happened, write

PAGE = "# Port\n\nThe service listens on port 8080.\n\nOther words stand here.\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    write(folder, {"port.md": PAGE})
    return folder


def proposals(project: Memory) -> list[tuple[str, int]]:
    found = project.item.query(state="proposed")
    return sorted((str(one.data["title"]), int(str(one.data["line"]))) for one in found)


def test_a_proposal_waits_marked_and_believed_little(project: Memory, page: Path) -> None:
    report = project.item.extract(page, propose=ScriptedProposer({"8080": "claim"}))
    assert (report.proposed, report.added, report.kinds) == (1, 1, {"note": 1})
    [record] = project.item.query(state="proposed")
    assert (record.state, record.kind, record.trust) == (State.PROPOSED, "claim", Trust.TOOL)
    assert (record.source, record.data["proposer"]) == ("scripted", "scripted")
    assert (record.data["line"], record.confidence) == (3, 0.5)
    assert record.text == "claim: The service listens on port 8080."
    assert [one.kind for one in project.item.query()] == ["note"]


def test_nobody_is_asked_twice_about_the_same_bytes(project: Memory, page: Path) -> None:
    proposer = ScriptedProposer({"8080": "claim"})
    project.item.extract(page, propose=proposer)
    asked, before = len(proposer.seen), happened(project)
    report = project.item.extract(page, propose=proposer)
    assert (len(proposer.seen), happened(project)) == (asked, before)
    assert (report.proposed, report.expired) == (0, 0)


@pytest.mark.parametrize(
    "nonsense",
    [
        Proposal("claim", "beyond", "beyond the end", 99),
        Proposal("claim", "before", "before the start", 0),
        Proposal("claim", "nothing", "on a blank line", 2),
        Proposal("poem", "kind", "no such kind", 3),
        Proposal("claim", "", "no title", 3),
        Proposal("claim", "empty", " ", 3),
        Proposal("claim", "sure", "too sure", 3, 7.0),
        Proposal("claim", "line", "a line that is no number", "3"),  # type: ignore[arg-type]
        Proposal("claim", "half \ud800", "half a character", 3),
        {"kind": "claim"},
        None,
        "a claim",
    ],
)
def test_nonsense_is_dropped_and_the_rest_kept(project: Memory, page: Path, nonsense: Any) -> None:
    report = project.item.extract(
        page, propose=ScriptedProposer({"8080": "claim"}, also=[nonsense])
    )
    assert (report.proposed, report.added, report.degraded) == (1, 1, ())
    assert proposals(project) == [("The service listens on port 8080.", 3)]


def test_a_proposer_that_fails_changes_nothing_else(project: Memory, page: Path) -> None:
    proposer = ScriptedProposer({"8080": "claim"})
    project.item.extract(page, propose=proposer)
    write(page, {"port.md": PAGE + "\n- [ ] Close the port\n"})
    proposer.error = RuntimeError("out of memory: The service listens")
    report = project.item.extract(page, propose=proposer)
    assert report.degraded == ("the proposer `scripted` failed with RuntimeError",)
    assert (report.added, report.unchanged, report.expired) == (1, 1, 0)
    assert proposals(project) == [("The service listens on port 8080.", 3)]
    proposer.error = None
    write(page, {"port.md": PAGE.replace("8080", "8081") + "\n- [ ] Close the port\n"})
    assert project.item.extract(page, propose=proposer).expired == 1
    assert proposals(project) == []


def test_endless_answers_end(project: Memory, page: Path) -> None:
    also = [Proposal("claim", f"number {n}", "the same line", 3) for n in range(10_000)]
    report = project.item.extract(page, propose=ScriptedProposer({}, also=also))
    assert report.proposed == 50


def test_a_proposal_follows_its_line_and_goes_with_it(project: Memory, page: Path) -> None:
    project.item.extract(page, propose=ScriptedProposer({"8080": "claim"}))
    write(page, {"port.md": "In front.\n\n" + PAGE})
    project.item.extract(page)
    assert proposals(project) == [("The service listens on port 8080.", 5)]
    write(page, {"port.md": PAGE.replace("8080", "8081")})
    assert project.item.extract(page).expired == 1
    assert proposals(project) == []


def test_an_accepted_proposal_is_an_item_while_its_line_stands(project: Memory, page: Path) -> None:
    proposer = ScriptedProposer({"8080": "claim"})
    project.item.extract(page, propose=proposer)
    [waiting] = project.item.query(state="proposed")
    project.accept(waiting.id)
    assert [one.id for one in project.item.query(type="claim")] == [waiting.id]
    write(page, {"port.md": PAGE + "\nMore words.\n"})
    report = project.item.extract(page, propose=proposer)
    assert (report.proposed, report.kinds) == (0, {"claim": 1, "note": 1})
    write(page, {"port.md": "# Port\n\nIt is closed by now.\n"})
    project.item.extract(page, propose=proposer)
    assert project.item.query(type="claim") == []


def test_a_rejected_proposal_is_not_made_again(project: Memory, page: Path) -> None:
    proposer = ScriptedProposer({"8080": "claim"})
    project.item.extract(page, propose=proposer)
    [waiting] = project.item.query(state="proposed")
    project.item.remove(waiting.id)
    write(page, {"port.md": PAGE + "\nMore words.\n"})
    report = project.item.extract(page, propose=proposer)
    assert (report.proposed, report.kept_out) == (0, 1)
    assert proposals(project) == []


def test_a_model_never_sees_a_secret(project: Memory, page: Path) -> None:
    secret = "ghp_" + "a8Fh2kLm9QwXz4Rt7Yv1Bn6Cd3Ge5Hj0Kp2S"
    write(page, {"port.md": f"{PAGE}\nThe token is {secret} for now.\n"})
    proposer = ScriptedProposer({"token": "claim"})
    project.item.extract(page, propose=proposer)
    assert proposer.seen
    assert secret not in repr(proposer.seen)
    assert proposals(project) == [("The token is secret://redacted for now.", 7)]


def test_a_proposer_needs_a_name(project: Memory, page: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"`propose\.name`"):
        project.item.extract(page, propose=ScriptedProposer({}, name="../x"))


def test_what_is_not_proposed_again_goes(project: Memory, page: Path) -> None:
    project.item.extract(page, propose=ScriptedProposer({"8080": "claim"}))
    write(page, {"port.md": PAGE + "\nMore words.\n"})
    report = project.item.extract(page, propose=ScriptedProposer({"Other": "note"}))
    assert (report.proposed, report.expired) == (1, 1)
    assert proposals(project) == [("Other words stand here.", 5)]
