"""An orchestrator: tasks that wait for one another, done by agents, whoever is killed meanwhile.

    graph = Graph()
    graph.add("plan", "Plan the module", agent="maya")
    graph.add("build", "Build the module", after=["plan"], agent="finn", approaches=["X", "Y"])
    outcome = Orchestrator(mem.project("web"), work).run(graph)

`work` is called with a `Work` and returns a `Result` or a text. What was tried is kept as episodes,
and read before anything is tried again. Start it again after a crash and it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypedDict, Unpack, cast

from lamina.core.instants import check_seconds
from lamina.core.names import check_name
from lamina.core.options import check_options
from lamina.core.principal import Role
from lamina.errors import InvalidInputError
from lamina.orchestration.books import Books
from lamina.orchestration.findings import Arbiter, newest
from lamina.orchestration.graph import Graph
from lamina.orchestration.work import Result, Work

if TYPE_CHECKING:
    from lamina.core.chat import Model
    from lamina.core.record import Record
    from lamina.memory import AgentMemory, Memory

Worker: TypeAlias = Callable[[Work], Result | str]
USUAL_SECONDS: Final = 600.0
_MOST_THREADS: Final = 256
_ENDS: Final = ("completed", "dropped")


@dataclass(frozen=True, slots=True)
class Again:
    """An approach that failed for this task and is to be tried once more all the same."""

    approach: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The task is dropped, and what waits for it is blocked."""

    reason: str


Answer: TypeAlias = str | Again | Graph | GiveUp | None
"""The next approach, tasks to be done first, or the end; `None` leaves it to the usual policy."""
Replan: TypeAlias = "Callable[[Record, list[Record]], Answer]"
"""Asked after a failure, with the task and all its episodes, oldest first."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, as it happens."""

    kind: str
    """`began`, `completed`, `failed`, `retried`, `dropped`, `blocked`, `freed`, `replanned` or
    `interrupted`, which is what another process has left behind."""
    task: str
    text: str = ""
    agent: str = ""
    approach: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How all tasks that agents do stand at the end of a run."""

    done: tuple[str, ...] = ()
    dropped: dict[str, str] = field(default_factory=dict)
    """What was given up, and why."""
    blocked: dict[str, str] = field(default_factory=dict)
    """What waits for something that was given up."""
    waiting: dict[str, str] = field(default_factory=dict)
    """What could not be run here, and what it waits for."""
    attempts: int = 0
    """How often something was tried in this run."""

    @property
    def ok(self) -> bool:
        """Whether everything is done."""
        return not (self.dropped or self.blocked or self.waiting)


class Options(TypedDict, total=False):
    """What may be said of an orchestrator."""

    threads: int
    """How many tasks are worked on at once; 4 unless it is said otherwise."""
    seconds: float
    """How long an attempt may take where its task does not say."""
    replan: Replan
    arbitrate: Arbiter
    workspace: str | Path
    """The folder that artifacts lie in."""
    model: Model
    """Who proposes lessons where `propose.lessons` is on; else the one that the settings name."""
    name: str
    """Who it is, in what it writes; `orchestrator` unless it is said otherwise."""


class Orchestrator:
    """Runs the tasks of a project that name an agent, each under a lease."""

    def __init__(
        self, project: Memory, workers: Worker | Mapping[str, Worker], **options: Unpack[Options]
    ) -> None:
        check_options(options, Options, "an option of an orchestrator")
        self.project = _name_of(project)
        self._memory = project
        self._workers = _check_workers(workers)
        self.threads = options.get("threads", 4)
        _check_threads(self.threads)
        self.seconds = check_seconds(
            options.get("seconds", USUAL_SECONDS), "seconds", above_zero=True
        )
        self.replan = options.get("replan")
        self.arbitrate = options.get("arbitrate", newest)
        self.model = options.get("model")
        self.workspace = Path(options.get("workspace", "."))
        name = check_name(options.get("name", "orchestrator"), "name")
        self.door = project.agent(name, project=self.project, role=Role.ORCHESTRATOR.value)
        self.books = Books(self.door, self.door.scope)

    def worker(self, agent: str) -> Worker | None:
        """Who works for an agent here."""
        if isinstance(self._workers, Mapping):
            return self._workers.get(agent)
        return self._workers

    def agent(self, name: str) -> AgentMemory:
        """A new handle of an agent, with nothing in mind."""
        return self._memory.agent(name, project=self.project)

    def add(self, graph: Graph) -> list[str]:
        """Write tasks, also while others run; says which are new. All of them, or none.

        A task that is there already with the same description stays as it is.
        """
        return self.books.write(graph)

    def run(
        self, graph: Graph | None = None, *, on_event: Callable[[Event], None] | None = None
    ) -> Outcome:
        """Run what is ready until nothing is, and say how everything stands.

        What was left by a process that died is taken over. Several may run at once on one store;
        each waits for what the others have under way.
        """
        from lamina.orchestration.learning import learn
        from lamina.orchestration.running import Running

        ended: list[str] = []

        def tell(event: Event) -> None:
            if event.kind in _ENDS:
                ended.append(event.task)
            (on_event or _nobody)(event)

        if graph is not None:
            self.add(graph)
        outcome = Running(self, tell).go()
        learn(self.door, ended, self.model)
        return outcome


def _name_of(project: Memory) -> str:
    root = project.principal.root
    name = root.part("project") if root is not None else None
    if name is None or project.principal.role is not Role.ADMIN:
        raise InvalidInputError(
            "`project` must be the handle of a project that opens those of its agents",
            remedy='Pass mem.project("web")',
        )
    return name


def _check_workers(workers: object) -> Worker | Mapping[str, Worker]:
    every = [*workers.values()] if isinstance(workers, Mapping) else [workers]
    if not all(map(callable, every)):
        raise InvalidInputError(
            f"`workers` must be a function, or one for each agent, not {workers!r:.60}",
            remedy='Pass work, or {"finn": work}',
        )
    return cast("Worker | Mapping[str, Worker]", workers)


def _check_threads(threads: object) -> None:
    if type(threads) is not int or not 1 <= threads <= _MOST_THREADS:
        raise InvalidInputError(f"`threads` must be from 1 to {_MOST_THREADS}, not {threads!r:.40}")


def _nobody(event: Event) -> None:
    """Nobody has to be told."""
