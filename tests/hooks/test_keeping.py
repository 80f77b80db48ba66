"""What was said in a harness is kept: each message once, whatever the transcript does."""

from contextlib import closing
from pathlib import Path, PosixPath
from typing import Any

import pytest

from lamina import Memory
from lamina.memory import AgentMemory
from lamina.surfaces.hooks.books import note_shown
from lamina.surfaces.hooks.keeping import Keeper
from lamina.surfaces.hooks.showing import at_start
from lamina.surfaces.hooks.told import HARNESSES
from tests.hooks.transcripts import item, said, write
from tests.places import plain

__all__ = ["plain"]

QUESTION = said("user", "Why does the billing job time out?", "u-1")
BLOCKS = [
    {"type": "thinking", "thinking": "let me see"},
    {"type": "text", "text": "The table of invoices has no index."},
    {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "psql -c explain"}},
]
ANSWER = said("assistant", BLOCKS, "a-1")
RESULT = said(
    "user",
    [
        {
            "type": "tool_result",
            "tool_use_id": "toolu_1",
            "content": [{"type": "text", "text": "Seq"}],
        }
    ],
    "u-2",
)
KEPT = [
    ("user", "Why does the billing job time out?"),
    ("assistant", "The table of invoices has no index."),
    ("tool_call", 'Bash: {"command": "psql -c explain"}'),
    ("tool_result", "Seq"),
]


@pytest.fixture
def agent(plain: Memory) -> AgentMemory:
    return plain.agent("claude", project="web")


def keep(agent: AgentMemory, path: Path, harness: str = "claude", session: str = "s-1") -> int:
    return Keeper(agent, session, path, harness).keep(lambda: False)


def kept(agent: AgentMemory, session: str = "s-1") -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in agent.session(session).read()]


def test_messages_calls_and_results_are_kept_in_order(agent: AgentMemory, tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", QUESTION, ANSWER, RESULT)
    assert keep(agent, path) == 4
    assert kept(agent) == KEPT
    assert [one.trust for one in agent.session("s-1").read()][-1] == "tool"


def test_a_second_look_keeps_only_what_is_new(agent: AgentMemory, tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", QUESTION)
    assert [keep(agent, path), keep(agent, path)] == [1, 0]
    write(path, ANSWER, RESULT)
    assert [keep(agent, path), keep(agent, path)] == [3, 0]
    assert kept(agent) == KEPT


def test_a_transcript_that_was_written_anew_is_not_kept_twice(
    agent: AgentMemory, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.jsonl", QUESTION, ANSWER)
    keep(agent, path)
    write(path, {"type": "mode"}, QUESTION, ANSWER, RESULT, mode="w")
    assert keep(agent, path) == 1
    assert kept(agent) == KEPT


def test_a_line_that_is_not_finished_waits(agent: AgentMemory, tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", QUESTION, '{"type": "user", "uuid": "u-9", "mess')
    assert keep(agent, path) == 1
    write(path, 'age": {"role": "user", "content": "Now whole"}}')
    assert keep(agent, path) == 1
    write(path, "\n", said("user", "And on", "u-10"))
    assert keep(agent, path) == 1
    assert [text for _, text in kept(agent)][1:] == ["Now whole", "And on"]


class _Growing(PosixPath):
    """A transcript whose last line is finished by the harness while it is read."""

    def open(self, *how: Any, **more: Any) -> Any:
        return closing(_GrowingFile(super().open(*how, **more), Path(self)))


class _GrowingFile:
    def __init__(self, file: Any, path: Path) -> None:
        self._file, self._path = file, path

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def readline(self, limit: int) -> bytes:
        found: bytes = self._file.readline(limit)
        if found and not found.endswith(b"\n"):
            write(self._path, 'age": {"role": "user", "content": "Now whole"}}\n')
        return found


def test_a_line_that_is_finished_while_it_is_read_is_kept(
    agent: AgentMemory, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.jsonl", QUESTION, '{"type": "user", "uuid": "u-9", "mess')
    keep(agent, _Growing(path))
    keep(agent, path)
    assert [text for _, text in kept(agent)][1:] == ["Now whole"]


def test_what_was_forgotten_or_erased_does_not_come_back(
    agent: AgentMemory, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.jsonl", QUESTION, said("user", "My cat is ill", "u-3"))
    keep(agent, path)
    question, cat = agent.session("s-1").read()
    agent.forget(question.id)
    agent.erase(cat.id)
    write(path, said("user", "Go on", "u-4"))
    assert keep(agent, path) == 1
    assert kept(agent) == [("user", "Go on")]


def test_lines_of_the_harness_itself_are_not_what_was_said(
    agent: AgentMemory, tmp_path: Path
) -> None:
    lines = [
        said("user", "caveat", "m", isMeta=True),
        said("user", "do a part", "x", isSidechain=True),
        said("user", "<command-name>/clear</command-name>", "y"),
        {"type": "summary", "summary": "x"},
        {"type": "file-history-snapshot"},
        said("user", "<system-reminder>be brief</system-reminder> Hello", "z"),
    ]
    path = write(tmp_path / "t.jsonl", *lines, "[1]\nnull\n{}\n\xff\n", '{"type": 7}\n')
    keep(agent, path)
    assert kept(agent) == [("user", "Hello")]


def test_items_of_codex_are_kept(agent: AgentMemory, tmp_path: Path) -> None:
    path = write(
        tmp_path / "rollout.jsonl",
        {"timestamp": "2026-11-16T10:00:00Z", "type": "session_meta", "payload": {"id": "s-1"}},
        item(1, type="message", role="developer", content=[{"type": "input_text", "text": "no"}]),
        item(2, type="message", role="user",
             content=[{"type": "input_text", "text": "<environment_context>x"}]),
        item(3, type="message", role="user", content=[{"type": "input_text", "text": "Fix it"}]),
        item(4, type="function_call", name="shell", arguments="{}", call_id="c1"),
        item(5, type="function_call_output", call_id="c1", output="done"),
        item(6, type="reasoning", summary=[]),
        item(7, type="message", role="assistant",
             content=[{"type": "output_text", "text": "Fixed"}]),
        item(8, type="message", role="user", content=[{"type": "input_text", "text": "Fix it"}]),
    )  # fmt: skip
    assert [keep(agent, path, "codex"), keep(agent, path, "codex")] == [5, 0]
    assert kept(agent) == [
        ("user", "Fix it"), ("tool_call", "shell: {}"), ("tool_result", "done"),
        ("assistant", "Fixed"), ("user", "Fix it"),
    ]  # fmt: skip


def test_memory_that_was_shown_is_not_kept_as_what_was_said(
    agent: AgentMemory, tmp_path: Path
) -> None:
    agent.remember("Releases are cut on the first Monday of a quarter")
    shown = at_start(agent, "s-1")
    path = write(
        tmp_path / "t.jsonl",
        said("user", f"{shown}\nWhat now?", "u-1"),
        said("assistant", "Releases are cut on the first Monday of a quarter.", "a-1"),
        said("assistant", "I opened a pull request for the changelog.", "a-2"),
    )
    keep(agent, path)
    assert [text.strip() for _, text in kept(agent)] == [
        "What now?", "I opened a pull request for the changelog.",
    ]  # fmt: skip


def test_a_long_reply_is_looked_through_for_what_its_session_was_shown_alone(
    agent: AgentMemory, tmp_path: Path
) -> None:
    shown = agent.remember("Releases are cut on the first Monday of a quarter")
    agent.remember("Invoices leave on the last Friday of every month")
    note_shown(agent, "s-1", [shown.id])  # as the hook of another process does
    news = [f"Step {n} moved module {n * 7} into package {n * 3}." for n in range(120)]
    reply = "\n".join(
        ["Releases are cut on the first Monday of a quarter.", *news,
         "Invoices leave on the last Friday of every month."]
    )  # fmt: skip
    keep(agent, write(tmp_path / "t.jsonl", said("assistant", reply, "a-1")))
    [(_, text)] = kept(agent)
    assert "Step 119" in text
    assert "first Monday" not in text
    assert "last Friday" in text  # to search all memories for each sentence would take too long


def test_secrets_are_sealed_and_long_results_cut(agent: AgentMemory, tmp_path: Path) -> None:
    long = "word " * 20_000
    result = {"type": "tool_result", "tool_use_id": "t", "content": long}
    path = write(
        tmp_path / "t.jsonl",
        said("user", "The password is hunter2-Zebra!9", "u-1"),
        said("user", [result], "u-2"),
    )
    keep(agent, path)
    (_, first), (_, second) = kept(agent)
    assert "hunter2" not in first
    assert len(second) < 5_000


def test_what_a_person_asked_is_in_the_log(agent: AgentMemory, tmp_path: Path) -> None:
    keep(agent, write(tmp_path / "t.jsonl", QUESTION, ANSWER))
    [entry] = agent.log.tail()
    assert entry.text == "Asked: Why does the billing job time out?"
    assert "billing" not in agent.context(session="s-1").text
    assert "billing" in agent.context(session="another").text


def test_a_message_that_cannot_be_kept_holds_up_no_other(
    agent: AgentMemory, tmp_path: Path
) -> None:
    # A key cannot be sealed, so one that is a credential is refused.
    bad = said("user", "odd", "AKIAIOSFODNN7EXAMPLQ")
    path = write(tmp_path / "t.jsonl", QUESTION, bad, said("user", "After", "u-5"))
    keep(agent, path)
    texts = [text for _, text in kept(agent)]
    assert texts[0] == QUESTION["message"]["content"]
    assert texts[-1] == "After"
    assert keep(agent, path) == 0


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_other_harness_s_transcript_is_nothing(
    harness: str, agent: AgentMemory, tmp_path: Path
) -> None:
    other = {"claude": item(1, type="message", role="user", content="x"), "codex": QUESTION}
    assert keep(agent, write(tmp_path / "t.jsonl", other[harness]), harness) == 0
