"""A store with a fortnight of work in it: two projects, three agents, and things to put right.

    python -m tests.ui.demo_store FOLDER

makes one, for `lamina --dir FOLDER ui`.
"""

import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import lamina
from lamina import Memory, clock
from lamina.memory import AgentMemory

KNOWN = (
    ("decision", "session-store", "Sessions live in Redis with a TTL of 30 minutes", 0.95),
    ("decision", "orm", "No ORM: raw SQL through psycopg, one module per table", 0.9),
    ("convention", "branches", "Branches are named feature/ISSUE-words and live two days", 0.85),
    ("convention", "errors", "Every error has a code, a message and a remedy", 0.9),
    ("architecture", "billing", "Billing is a worker of its own and speaks to Stripe alone", 0.8),
    ("architecture", "gateway", "The gateway terminates TLS and adds a request id", 0.85),
    ("pitfall", "circular-import", "models must not import views: that goes in circles", 0.95),
    ("pitfall", "timezones", "Cron on the build machine runs in UTC, not in Berlin time", 0.75),
    ("pattern", "outbox", "Events go through an outbox table, never straight to the queue", 0.8),
    ("preference", "answers", "Ann wants short answers with the command first", 0.9),
    ("codebase", "entry-point", "The service starts in src/web/main.py and reads settings", 0.85),
    ("outcome", "checkout-cache", "Caching the checkout page brought p95 from 800 to 240 ms", 0.7),
    ("failure", "blue-green", "Blue-green deploys failed twice: migrations broke old code", 0.85),
    ("fact", "region", "Production runs in eu-central-1; there is no second region yet", 0.9),
)  # fmt: skip
TASKS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("t-1", "Write down how sessions work today", {"milestone": "m1"}),
    ("t-2", "Move sessions from the database to Redis", {"milestone": "m1",
                                                         "blocked_by": ["t-1"], "priority": 5}),
    ("t-3", "Load-test the login with 500 users", {"milestone": "m1", "blocked_by": ["t-2"]}),
    ("t-4", "Make invoices idempotent", {"milestone": "m2", "priority": 8,
                                         "acceptance": ["The same event twice makes one invoice"]}),
    ("t-5", "Drop the old session table", {"milestone": "m2", "blocked_by": ["t-2", "t-3"]}),
    ("t-6", "Publish the new API reference", {"milestone": "m2"}),
)  # fmt: skip
ATTEMPTS = (
    # task, agent, hours ago, minutes, action, approach, outcome, tokens
    (
        "t-1",
        "finn",
        300,
        22,
        "completed",
        "Read the code and write it up",
        "docs/sessions.md",
        18_400,
    ),
    ("t-2", "finn", 250, 41, "failed", "Sticky sessions at the gateway", "lost on deploy", 31_200),
    ("t-2", "finn", 226, 65, "failed", "Signed cookies", "4 kB is not enough", 40_900),
    ("t-2", "mira", 150, 38, "completed", "Redis with TTL", "p95 down by 40 ms", 27_300),
    ("t-3", "mira", 120, 15, "failed", "k6 from a laptop", "network was the limit", 9_800),
    ("t-3", "mira", 96, 33, "completed", "k6 inside the cluster", "500 users, p95 210 ms", 15_100),
    (
        "t-4",
        "otto",
        70,
        54,
        "failed",
        "Unique index on invoice number",
        "numbers are reused",
        36_600,
    ),
    ("t-4", "otto", 28, 47, "attempted", "Idempotency key from the event", None, 22_000),
)


class Diary:
    """What is done when; the log of a store goes by time, so it is put in oldest first."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, Callable[[], object]]] = []

    def add(self, hours_ago: float, what: Callable[..., object], *said: Any, **more: Any) -> None:
        """Note that something was done some hours ago."""
        self._entries.append((hours_ago, partial(what, *said, **more)))

    def play(self) -> None:
        """Do all of it, each as if it were then."""
        real = clock.now
        for hours_ago, what in sorted(self._entries, key=lambda entry: -entry[0]):
            then = real() - timedelta(hours=hours_ago)
            clock.now = partial(_same, then)
            try:
                what()
            finally:
                clock.now = real


def _same(then: datetime) -> datetime:
    return then


def fill(whole: Memory) -> None:
    """Put the fortnight in."""
    diary = Diary()
    web = whole.project("web")
    agents = {name: whole.agent(name, project="web") for name in ("finn", "mira", "otto")}
    for number, (kind, key, text, sure) in enumerate(KNOWN):
        agent = agents[("finn", "mira", "otto")[number % 3]]
        diary.add(330 - 8 * number, agent.knowledge.put, kind, key, text,
                  confidence=sure, tags=[kind, "web"])  # fmt: skip
    diary.add(420 * 24, agents["finn"].remember, "The old wiki lists the on-call numbers")
    for hours, end in ((200, ""), (180, ".")):
        said = f"Uploads are retried three times with a pause{end}"
        diary.add(hours, web.remember, said, kind="pattern")
    _tasks(diary, web, agents)
    _revisions(diary, web, agents)
    _days(diary, agents)
    finance = whole.project("finance")
    diary.add(12, finance.knowledge.put, "fact", "payroll", "Payroll closes on the 25th")
    diary.add(11, finance.knowledge.put, "convention", "rounding", "Amounts are rounded half even")
    diary.play()
    whole.reindex()


def _tasks(diary: Diary, web: Memory, agents: dict[str, AgentMemory]) -> None:
    for name, text, more in TASKS:
        diary.add(310, web.task.add, name, text, **more)
    for task, who, hours, minutes, action, approach, outcome, tokens in ATTEMPTS:
        diary.add(
            hours, agents[who].episode.record, task, action, approach=approach,
            outcome=outcome or "still under way", duration_ms=minutes * 60_000, tokens_in=tokens,
            tokens_out=tokens // 9,
        )  # fmt: skip
    for name, begun, ended in (("t-1", 301, 299), ("t-2", 251, 149), ("t-3", 121, 95)):
        diary.add(begun, web.task.move, name, "active")
        diary.add(ended, web.task.move, name, "done")
    diary.add(71, web.task.move, "t-4", "active")
    finn, mira = agents["finn"].artifact, agents["mira"].artifact
    diary.add(299, finn.declare, "docs/sessions.md", task="t-1", kind="document",
              description="How sessions work", size=8_210)  # fmt: skip
    diary.add(149, mira.declare, "src/web/sessions.py", task="t-2", description="Redis sessions",
              size=14_420, sha256="9f" * 32)  # fmt: skip
    diary.add(95, mira.declare, "tests/load/login.js", task="t-3", kind="test", size=2_204)


def _revisions(diary: Diary, web: Memory, agents: dict[str, AgentMemory]) -> None:
    """Versions to look back at, and differences of opinion."""
    diary.add(90, agents["mira"].knowledge.put, "decision", "session-store",
              "Sessions live in Redis with a TTL of 45 minutes, refreshed on use",
              confidence=0.96)  # fmt: skip
    for hours, day in ((60, "on Tuesdays"), (40, "on Thursdays, after the stand-up")):
        diary.add(hours, web.knowledge.put, "convention", "deploy-day", f"Deploys go out {day}")
    # Less believed than what a person said, so they wait to be decided on.
    diary.add(20, agents["finn"].knowledge.put, "convention", "deploy-day",
              "Deploys go out whenever tests are green")  # fmt: skip
    diary.add(19, agents["otto"].knowledge.put, "fact", "region",
              "Production runs in eu-central-1 and us-east-1", confidence=0.4)  # fmt: skip


def _days(diary: Diary, agents: dict[str, AgentMemory]) -> None:
    doing = {
        "finn": ("Write the guide for new agents", ["Collect pitfalls", "Ask Ann for a review"]),
        "mira": ("Load-test the login", ["Try 1,000 users", "Write down the limits"]),
        "otto": ("Make invoices idempotent", ["Finish the migration", "Replay last week's events"]),
    }
    for number, (name, (objective, steps)) in enumerate(doing.items()):
        agent, begun = agents[name], 6 - number
        diary.add(begun, agent.now.update, objective, steps)
        for after, (kind, text) in enumerate((
            ("SYSTEM", "Started the day's work"),
            ("TOOL_USE", f"Looked for earlier attempts at: {objective.lower()}"),
            ("THOUGHT", "The approach of last week does not fit; trying the other one"),
            ("ERROR", "Connection to staging was refused, three times"),
            ("USER_FEEDBACK", "Ann: please keep the old endpoint for a month"),
        )):  # fmt: skip
            diary.add(begun - 0.1 * after, agent.log.append, kind, text)
        diary.add(begun - 0.6, agent.fact.save, "editor", "helix", "preference")
        diary.add(begun - 0.6, agent.fact.save, "timezone", "Europe/Berlin")
        diary.add(begun - 0.7, _talk, agent, objective)
        board = agent.blackboard
        diary.add(2 - number / 2, board.publish, f"agent:{name}:status", "working")
        diary.add(
            2 - number / 2, board.publish, "build:web:status", ["red", "amber", "green"][number]
        )
    diary.add(0.4, agents["mira"].blackboard.publish, "task:t-3:p95_ms", 210)
    diary.add(0.3, agents["otto"].blackboard.publish, "task:t-4:progress", {"done": 3, "of": 7},
              ttl="6h")  # fmt: skip


def _talk(agent: AgentMemory, objective: str) -> None:
    agent.session("s-1").extend(
        [
            {"role": "user", "text": f"Where are we with this: {objective}?"},
            {"role": "tool_call", "text": 'recall("sessions")', "tool": "recall"},
            {"role": "tool_result", "text": "Sessions live in Redis, TTL 45 minutes"},
            {"role": "assistant", "text": "Decided and measured. What is left is t-5."},
            {"role": "user", "text": "Good. Note that the old endpoint stays for a month."},
            {"role": "assistant", "text": "Noted, and put on the board."},
        ]
    )  # fmt: skip


def main(folder: str) -> None:
    """Make the store in a folder."""
    with lamina.open(Path(folder)) as whole:
        fill(whole)


if __name__ == "__main__":
    main(*sys.argv[1:])
