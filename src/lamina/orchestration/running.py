"""One run of an orchestrator: what is ready is begun, what has ended is written down."""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina import clock, leasing
from lamina.core.scope import Scope
from lamina.errors import (
    BusyError,
    ConflictError,
    InvalidInputError,
    LaminaError,
)
from lamina.layers.tasks import Status, awaited, status_of
from lamina.layers.working import CONTEXT
from lamina.orchestration import findings
from lamina.orchestration.books import Begun, End, attempt_of, begun_by, is_run, steps_of
from lamina.orchestration.choosing import (
    COMPLETED,
    FAILED,
    INTERRUPTED,
    RETRIED,
    TRANSIENT,
    past_of,
    retries_of,
)
from lamina.orchestration.orchestrator import Event, Outcome
from lamina.orchestration.planning import Drop, First, Planner, Try
from lamina.orchestration.readiness import is_free, ready, results_of, under_way, unfinished
from lamina.orchestration.watching import Watch
from lamina.orchestration.work import Result, Work, judged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.core.changes import Receipt
    from lamina.core.draft import Draft
    from lamina.core.record import Record
    from lamina.leasing import Lease
    from lamina.orchestration.choosing import Past
    from lamina.orchestration.graph import Graph
    from lamina.orchestration.orchestrator import Orchestrator, Worker

_SOONEST, _LATEST = 0.02, 1.0
"""Seconds after which it is looked again at what others do; longer each time nothing happens."""
_PATIENCE: Final = 30.0
_GRAPH: Final = "task graph"


@dataclass(eq=False, slots=True)
class Job:
    """An attempt that is under way in this process."""

    begun: Begun
    work: Work
    lease: Lease
    retries: int

    @property
    def is_held(self) -> bool:
        """Whether nobody else can have taken over."""
        try:
            self.lease.check()
        except BusyError:
            return False
        return True


class Running:
    """The tasks that are under way, and the loop around them."""

    def __init__(self, owner: Orchestrator, tell: Callable[[Event], None]) -> None:
        self._owner = owner
        self._books = owner.books
        self._watch = Watch(owner.books)
        self._tell = tell
        self._scope = Scope.of(owner.books.scope)
        self._planner = Planner(owner.door, self._scope, owner.replan)
        self._jobs: dict[str, Job] = {}
        self._ended: queue.SimpleQueue[tuple[Job, object]] = queue.SimpleQueue()
        self._attempts = 0
        self._quiet = _SOONEST
        self._is_held = False
        """Whether somebody else is about to do something with a task that is ready."""

    def go(self) -> Outcome:
        """Run until nothing is left that could be run here."""
        try:
            while True:
                known = self._watch.known()
                if self._take_over(known) or self._settle(known):
                    continue
                moved = self._begin_ready(known)
                if not (moved or self._jobs or self._is_held or under_way(known)):
                    return self._outcome(known)
                if not moved:
                    self._take_in()
        finally:
            for job in [*self._jobs.values()]:
                # The next run takes over what could not be written down now.
                with suppress(LaminaError, OSError):
                    self._leave(job)

    # -- what others have left

    def _take_over(self, known: Mapping[str, Record]) -> bool:
        """End the attempts of processes that died; whether there were any."""
        left = [one for one in under_way(known) if one.key not in self._jobs]
        return sum(map(self._end_left, left)) > 0

    def _end_left(self, task: Record) -> bool:
        begun = begun_by(task)
        try:
            lease = self._lease(begun.task)
        except BusyError:
            return False
        with lease:
            end = End(kind=RETRIED, outcome="the process that worked on it ended",
                      course={"why": INTERRUPTED})  # fmt: skip
            if not self._past(task).may_go_on(begun.approach, INTERRUPTED, 0):
                end = End(kind=FAILED, outcome="the process ended each time it was tried")
            ended = self._books.end(begun, end)
        if ended:
            self._say("interrupted", begun, end.outcome)
        return ended

    def _settle(self, known: Mapping[str, Record]) -> bool:
        try:
            moved = self._books.settle(known)
        except ConflictError:
            # Somebody else does the same: it is looked at again.
            return True
        for task in moved:
            was_open = status_of(task) is Status.OPEN
            self._tell(Event("blocked" if was_open else "freed", str(task.key)))
        return bool(moved)

    # -- beginning

    def _begin_ready(self, known: Mapping[str, Record]) -> bool:
        """Begin what is ready, as far as there is room; whether anything moved."""
        moved = self._is_held = False
        for task in ready(known):
            if len(self._jobs) >= self._owner.threads:
                break
            worker = self._owner.worker(str(task.data["agent"]))
            if worker is None:
                continue
            try:
                lease = self._lease(str(task.key))
            except BusyError:
                self._is_held = True
                continue
            try:
                moved |= self._pick(str(task.key), lease, worker)
            finally:
                if str(task.key) not in self._jobs:
                    lease.release()
        return moved

    def _pick(self, name: str, lease: Lease, worker: Worker) -> bool:
        """Do with a task what its past suggests, now that nobody else does."""
        task = self._books.task(name)
        if task is None:
            return False
        if attempt_of(task) or not is_free(task, self._awaited(task)):
            # Another was quicker; what it did is seen at the next look.
            return True
        match self._planner.next(task):
            case Try() as chosen:
                self._begin(task, chosen, lease, worker)
            case First(graph):
                self._put_before(task, graph)
            case Drop(reason):
                self._drop(task, reason)
        return True

    def _put_before(self, task: Record, graph: Graph) -> None:
        try:
            # Two that change what waits for what must not do so at once, or it goes in a circle.
            with leasing.take(self._owner.door, _GRAPH, scope=self._scope, wait=_PATIENCE):
                fresh = self._books.put_before(task, graph)
        except InvalidInputError as error:
            self._drop(task, f"replanning named tasks that cannot be: {error.message}")
        except (BusyError, ConflictError):
            # The task has changed since, or others are slow: it is looked at again.
            return
        else:
            self._tell(Event("replanned", str(task.key), f"first: {', '.join(fresh)}"))

    def _drop(self, task: Record, reason: str) -> None:
        if self._books.drop(task, reason):
            self._tell(Event("dropped", str(task.key), reason))

    def _awaited(self, task: Record) -> dict[str, Record]:
        known = self._watch.known()
        return {name: known[name] for name in awaited(task) if name in known}

    def _begin(self, task: Record, chosen: Try, lease: Lease, worker: Worker) -> None:
        approach = chosen.approach
        begun = Begun(
            task=str(task.key), attempt=str(clock.fresh_id()), approach=approach,
            agent=str(task.data["agent"]),
        )  # fmt: skip
        inputs = self._books.inputs(task)
        try:
            if not self._books.begin(task, begun, inputs):
                return
        except InvalidInputError as error:
            self._drop(task, f"what it is given cannot be kept: {error.message}")
            return
        memory = self._owner.agent(begun.agent)
        memory.working.set(CONTEXT, {"task": begun.task, "approach": approach})
        work = Work(
            task=begun.task, description=task.text, approach=approach, attempt=begun.attempt,
            agent=begun.agent, memory=memory, failures=chosen.failures,
            inputs={**inputs, "results": results_of(self._awaited(task))},
            steps=steps_of(task, approach) or {}, seconds=self._limit(task),
            workspace=self._owner.workspace, desk=self,
        )  # fmt: skip
        job = Job(begun, work, lease, retries_of(task))
        self._jobs[begun.task] = job
        self._attempts += 1
        self._say("began", begun)
        threading.Thread(
            target=self._work, args=(job, worker), name=f"task {begun.task}", daemon=True
        ).start()

    def _limit(self, task: Record) -> float:
        said: Any = task.data.get("seconds")
        is_number = isinstance(said, int | float) and not isinstance(said, bool)
        return float(said) if is_number and said > 0 else self._owner.seconds

    def _work(self, job: Job, worker: Worker) -> None:
        """Runs in a thread of its own; whatever the worker does, the queue hears of its end."""
        try:
            said: object = worker(job.work)
        except BaseException as error:
            # Whatever it is, it is how the attempt ends.
            said = error
        self._ended.put((job, said))

    # -- ending

    def _take_in(self) -> None:
        """Wait for an attempt that ends, or whose time is up, or for what others do."""
        left = (job.work.seconds_left for job in self._jobs.values())
        wait = min(self._quiet, *left, _LATEST)
        self._quiet = min(2 * self._quiet, _LATEST)
        with suppress(queue.Empty):
            while True:
                job, said = self._ended.get(timeout=wait)
                wait, self._quiet = 0.0, _SOONEST
                if self._jobs.get(job.begun.task) is job:
                    self._finish(job, judged(job.work, said))
        for job in [*self._jobs.values()]:
            if job.lease.is_lost:
                job.work.over = "another has taken over"
            if not job.work.seconds_left:
                late = f"it took longer than {job.work.seconds:g} seconds"
                self._finish(job, Result(late, ok=False))

    def _finish(self, job: Job, result: Result) -> None:
        """Write down how an attempt ended; what another has taken over is not ours to end."""
        work, begun = job.work, job.begun
        work.over = work.over or "it has ended"
        course: dict[str, Any] = {"duration_ms": round((clock.stopwatch() - work.began) * 1_000)}
        if work.tokens_in or work.tokens_out:
            course |= {"tokens_in": work.tokens_in, "tokens_out": work.tokens_out}
        kind = COMPLETED if result.ok else FAILED
        if not result.ok and result.transient:
            task = self._books.task(begun.task)
            if task is not None and self._past(task).may_go_on(
                begun.approach, TRANSIENT, job.retries
            ):
                kind, course["why"] = RETRIED, TRANSIENT
        end = End(
            kind=kind, outcome=result.outcome, course=course, data=result.data,
            artifacts=work.produced if result.ok else (),
        )  # fmt: skip
        ended = self._written(job, end)
        work.memory.working.clear()
        self._release(job)
        if ended is not None:
            self._say(ended.kind, begun, ended.outcome)

    def _written(self, job: Job, end: End) -> End | None:
        """Write down an end; what cannot be kept is a failure of the attempt, not of the run."""
        try:
            return end if self._books.end(job.begun, end, is_held=job.is_held) else None
        except InvalidInputError as error:
            outcome = f"what came of it cannot be kept: {error.message}"
            failed = End(kind=FAILED, outcome=outcome, course=end.course)
            return failed if self._books.end(job.begun, failed, is_held=job.is_held) else None

    def _leave(self, job: Job) -> None:
        """End an attempt because the run itself ends before it."""
        job.work.over = "the orchestrator has stopped"
        try:
            self._books.end(
                job.begun,
                End(kind=RETRIED, outcome=job.work.over, course={"why": INTERRUPTED}),
            )
        finally:
            self._release(job)

    def _release(self, job: Job) -> None:
        del self._jobs[job.begun.task]
        job.lease.release()

    # -- what workers ask for while they work

    def discovered(self, work: Work, said: Draft) -> Receipt | None:
        """Write something to the knowledge of the project, unless it waits there already."""
        claim = findings.Claim(work.agent, work.task, str(said.get("text")))
        owner = self._owner
        return findings.write(owner.door, self._scope, said, claim, owner.arbitrate)

    def step_done(self, work: Work, name: str, value: Any) -> None:
        """Keep that a step was done, and what came of it."""
        begun = Begun(
            task=work.task, attempt=work.attempt, approach=work.approach, agent=work.agent
        )
        if not self._books.step_done(begun, name, value):
            work.over = "another has taken over"
            work.check()

    # -- small things

    def _lease(self, task: str) -> Lease:
        return leasing.take(self._owner.door, f"task {task}", scope=self._scope)

    def _past(self, task: Record) -> Past:
        return past_of(self._owner.door.episode.of_task(str(task.key)), task)

    def _say(self, kind: str, begun: Begun, text: str = "") -> None:
        self._tell(Event(kind, begun.task, text, begun.agent, begun.approach))

    def _outcome(self, known: Mapping[str, Record]) -> Outcome:
        run = {name: task for name, task in known.items() if is_run(task)}
        by_status: dict[Status, dict[str, str]] = {status: {} for status in Status}
        for name, task in run.items():
            by_status[status_of(task)][name] = str(task.data.get("note", ""))
        left = {**by_status[Status.OPEN], **by_status[Status.ACTIVE]}
        return Outcome(
            done=tuple(by_status[Status.DONE]), dropped=by_status[Status.DROPPED],
            blocked=by_status[Status.BLOCKED], attempts=self._attempts,
            waiting={name: self._why_waiting(run[name], known) for name in left},
        )  # fmt: skip

    def _why_waiting(self, task: Record, known: Mapping[str, Record]) -> str:
        if status_of(task) is Status.ACTIVE:
            return "somebody else is at it"
        if self._owner.worker(str(task.data["agent"])) is None:
            return f"nobody works for {task.data['agent']} here"
        return f"waits for {', '.join(unfinished(task, known))}"
