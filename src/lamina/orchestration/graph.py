"""A graph of tasks: what is to be done by whom, what waits for what, checked as a whole."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

from lamina.core import canonical
from lamina.core.names import check_name
from lamina.core.options import check_options
from lamina.errors import InvalidInputError
from lamina.layers.tasks import ENDED, Status, check_plan, check_status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Self

WORKER: Final = "worker"
"""Who does what names nobody."""
USUAL: Final = "as described"
"""The approach of a task that names none."""
RETRIES: Final = 2
"""How often an approach is tried again after an error that may pass."""
GIVEN: Final = frozenset(("artifacts", "results"))
"""Inputs that come from the tasks before."""
_SHOWN: Final = 10
_LONGEST_APPROACH: Final = 2_000
_MOST_RETRIES: Final = 1_000
_MOST_SECONDS: Final = 30 * 86_400


class Step(TypedDict, total=False):
    """What may be said of a task that is run."""

    agent: str
    """Who does it; its worker gets the handle of this agent."""
    inputs: dict[str, Any]
    approaches: list[str]
    """In what ways it may be tried, the best first."""
    retry: int
    """How often an approach is tried again after an error that may pass."""
    seconds: float
    """How long one attempt may take."""
    milestone: str
    priority: int
    acceptance: list[str]


@dataclass(frozen=True, slots=True)
class Planned:
    """One task of a graph."""

    name: str
    text: str
    after: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)


class Graph:
    """Tasks and what each of them waits for."""

    def __init__(self) -> None:
        self._tasks: list[Planned] = []

    @property
    def tasks(self) -> tuple[Planned, ...]:
        """The tasks, in the order in which they were added."""
        return tuple(self._tasks)

    def add(
        self, task: str, description: str, *, after: Iterable[str] = (), **step: Unpack[Step]
    ) -> Self:
        """Add a task; what it waits for may be added later, or be in the store already."""
        check_name(task, "task")
        if not canonical.check_text(description, "description"):
            raise InvalidInputError(
                f"`description` of {task!r:.80} is empty", remedy="Say what is to be done"
            )
        if isinstance(after, str):
            raise InvalidInputError(
                f"`after` must be a list of tasks, not {after!r:.60}",
                remedy='Write after=["plan"]',
            )
        waits = tuple(dict.fromkeys(check_name(one, "after") for one in after))
        data = {"status": Status.OPEN.value, "agent": WORKER, **_checked(dict(step))}
        self._tasks.append(Planned(task, description, waits, data))
        return self

    @classmethod
    def of(cls, tasks: Iterable[Mapping[str, Any]]) -> Self:
        """A graph of objects as `tasks.json` has them, with the fields of a step where wanted."""
        listed = canonical.check(list(tasks), "tasks")
        return cls._parsed(canonical.dumps(listed), "tasks")

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The graph of a `tasks.json`."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it is not UTF-8"
            raise InvalidInputError(
                f"`path` {str(path)!r:.200} cannot be read: {why}",
                remedy="Name a file as tasks.json, or declare tasks with Graph().add(…)",
            ) from error
        return cls._parsed(text, "path")

    @classmethod
    def _parsed(cls, text: str, argument: str) -> Self:
        # What reads files is not needed by those who declare tasks in Python.
        from lamina.files.tasks_page import TasksPage

        page = TasksPage().parse(text)
        problems = [*page.problems]
        problems += [
            f"task {number} has no `id`" for number, one in enumerate(page.entries, 1)
            if not one.name
        ]  # fmt: skip
        if problems:
            raise InvalidInputError(f"`{argument}`: {'; '.join(problems[:_SHOWN])}")
        graph = cls()
        for entry in page.entries:
            graph._add_said(str(entry.name), dict(entry.said))
        return graph

    def _add_said(self, name: str, said: dict[str, Any]) -> None:
        """A task as a file says it; what it tells beyond a step is somebody else's."""
        status, after = check_status(said["status"]), said["blocked_by"]
        said["acceptance"] = said.get("acceptance") or said["acceptance_criteria"]
        step = {one: said[one] for one in Step.__annotations__ if said.get(one) not in (None, [])}
        if not isinstance(after, list):
            raise InvalidInputError(f"`blocked_by` of {name!r:.80} must be a list of tasks")
        self.add(name, said["description"], after=after, **step)
        if status in ENDED:
            self._tasks[-1].data["status"] = status.value

    def check(self, known: Mapping[str, Iterable[str]] | None = None) -> None:
        """Refuse, with everything that is wrong, what could never be run.

        Args:
            known: Tasks that are there already, and what each of them waits for.
        """
        every = {**(known or {}), **{one.name: one.after for one in self._tasks}}
        problems = [*self._problems(every), *_cycles(every)]
        if problems:
            more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
            raise InvalidInputError(
                f"`graph` cannot be run: {'; '.join(problems[:_SHOWN])}{more}",
                remedy="Nothing was written; put these right and write it again",
            )

    def _problems(self, every: Mapping[str, Iterable[str]]) -> Iterator[str]:
        for name, times in Counter(one.name for one in self._tasks).items():
            if times > 1:
                yield f"{name!r} is there {times} times"
        for one in self._tasks:
            if one.name in one.after:
                yield f"{one.name!r} waits for itself"
            for missing in (name for name in one.after if name not in every):
                yield f"{one.name!r} waits for {missing!r}, which is not there"


def _cycles(every: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """The tasks that wait for each other, without recursion: a chain may be very long."""
    done: set[str] = set()
    for start in every:
        path: dict[str, None] = {}
        left = [(start, False)]
        while left:
            name, leaves = left.pop()
            if leaves:
                done.add(path.popitem()[0])
            elif name in path:
                around = list(path)[list(path).index(name) :]
                # One that waits for itself is told of already.
                if len(around) > 1:
                    yield f"these wait for each other: {' → '.join([*around[:_SHOWN], name])}"
            elif name not in done and name in every:
                path[name] = None
                left.append((name, True))
                left += [(one, False) for one in every[name]]


def _checked(step: dict[str, Any]) -> dict[str, Any]:
    check_options(step, Step, "something a task has", "after")
    check_plan(step)
    if "agent" in step:
        check_name(step["agent"], "agent")
    _check_approaches(step.get("approaches", [USUAL]))
    _check_number("retry", step.get("retry", 0), _MOST_RETRIES, int)
    _check_number("seconds", step.get("seconds", 1), _MOST_SECONDS, int | float)
    inputs = step.get("inputs", {})
    if not isinstance(inputs, dict) or GIVEN & inputs.keys():
        raise InvalidInputError(
            "`inputs` must be an object, and neither `artifacts` nor `results` may be in it",
            remedy="These two come from the tasks before",
        )
    return {**step, **({"inputs": canonical.check(inputs, "inputs")} if inputs else {})}


def _check_approaches(approaches: Any) -> None:
    is_list = isinstance(approaches, list | tuple)
    if not is_list or not approaches or len({*map(str, approaches)}) < len(approaches):
        raise InvalidInputError(
            f"`approaches` must be a list of different texts, not {approaches!r:.60}",
            remedy='Write approaches=["the first way", "another"], or leave it out',
        )
    for one in approaches:
        check_approach(one)


def check_approach(said: object) -> str:
    """A way in which a task may be tried."""
    approach = canonical.check_text(said, "approaches", limit=_LONGEST_APPROACH)
    if not approach:
        raise InvalidInputError("`approaches` holds an empty text")
    return approach


def _check_number(name: str, value: object, most: int, kind: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, kind) or not 0 <= value <= most:
        raise InvalidInputError(f"`{name}` must be a number from 0 to {most:,}, not {value!r:.40}")
