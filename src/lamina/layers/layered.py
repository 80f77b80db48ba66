"""The layers of a handle, by name: `agent.now`, `project.knowledge`, `mem.blackboard`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from lamina.announcing import Announcer
    from lamina.core.principal import Principal
    from lamina.core.scope import Scope
    from lamina.embedding import Vectors
    from lamina.layers.artifacts import Artifacts
    from lamina.layers.blackboard import Blackboard
    from lamina.layers.episodes import Episodes
    from lamina.layers.face import Door
    from lamina.layers.facts import Facts
    from lamina.layers.global_tier import GlobalTier
    from lamina.layers.handoff import Handoffs
    from lamina.layers.items import Items
    from lamina.layers.knowledge import Knowledge
    from lamina.layers.log import Log
    from lamina.layers.notebook import Notebooks
    from lamina.layers.now import Now
    from lamina.layers.public import Public
    from lamina.layers.sessions import Sessions
    from lamina.layers.splits import Splits
    from lamina.layers.tasks import Tasks
    from lamina.layers.tiers import ProjectTier, TaskTiers
    from lamina.layers.working import Working


class Layered:
    """What a handle offers for each layer; imported when it is asked for.

    What is an agent's own lies in its own scope; what agents share, at the root of the handle.
    """

    principal: Principal
    scope: Scope
    _announcer: Announcer
    _vectors: Vectors

    @cached_property
    def now(self) -> Now:
        """What this agent is doing, and what comes next."""
        from lamina.layers.now import Now

        return Now(self._door, self.scope)

    @cached_property
    def log(self) -> Log:
        """What this agent did, entry by entry."""
        from lamina.layers.log import Log

        return Log(self._door, self.scope)

    @cached_property
    def fact(self) -> Facts:
        """Single values by key."""
        from lamina.layers.facts import Facts

        return Facts(self._door, self.scope)

    @cached_property
    def knowledge(self) -> Knowledge:
        """What holds for the project."""
        from lamina.layers.knowledge import Knowledge

        return Knowledge(self._door, self.principal.common)

    @cached_property
    def experience(self) -> Knowledge:
        """What this agent itself has learned."""
        from lamina.layers.knowledge import Knowledge

        return Knowledge(self._door, self.scope)

    @cached_property
    def blackboard(self) -> Blackboard:
        """Signals that the project's agents share."""
        from lamina.layers.blackboard import Blackboard

        return Blackboard(self._door, self.principal.common)

    @cached_property
    def episode(self) -> Episodes:
        """What was tried in the project, and how it went."""
        from lamina.layers.episodes import Episodes

        return Episodes(self._door, self.principal.common)

    @cached_property
    def artifact(self) -> Artifacts:
        """The files that work in the project has produced."""
        from lamina.layers.artifacts import Artifacts

        return Artifacts(self._door, self.principal.common)

    @cached_property
    def item(self) -> Items:
        """What the project's files say."""
        from lamina.layers.items import Items

        return Items(self._door, self.principal.common)

    @cached_property
    def task(self) -> Tasks:
        """What is to be done in the project."""
        from lamina.layers.tasks import Tasks

        return Tasks(self._door, self.principal.common)

    @cached_property
    def working(self) -> Working:
        """What this agent has in mind."""
        from lamina.layers.working import Working

        return Working(self._door, self.scope)

    @cached_property
    def session(self) -> Sessions:
        """What was said to this agent and by it: `agent.session("s-1").append("user", "…")`."""
        from lamina.layers.sessions import Sessions

        return Sessions(self._door, self.scope)

    @cached_property
    def notebook(self) -> Notebooks:
        """What this agent wrote down at work: `agent.notebook("t-1").note("…")`."""
        from lamina.layers.notebook import Notebooks

        return Notebooks(self._door, self.scope)

    @cached_property
    def public(self) -> Public:
        """What agents let the others of their project ask for: `agent.public.ask("maya", "…")`."""
        from lamina.layers.public import Public

        return Public(self._door, self._announcer, self._vectors)

    @cached_property
    def handoff(self) -> Handoffs:
        """Requests between the agents of a project, with the memory that goes along."""
        from lamina.layers.handoff import Handoffs

        return Handoffs(self._door, self._vectors)

    @cached_property
    def task_tier(self) -> TaskTiers:
        """What this agent gathers at a task: `agent.task_tier("t-1").stage_outputs("plan")`."""
        from lamina.layers.tiers import TaskTiers

        return TaskTiers(self._door, self.scope)

    @cached_property
    def project_tier(self) -> ProjectTier:
        """What the project keeps, within bounds: `project.project_tier.add_decision("…")`."""
        from lamina.layers.tiers import ProjectTier

        return ProjectTier(self._door, self.principal.common)

    @cached_property
    def global_tier(self) -> GlobalTier:
        """What everybody shares: `mem.global_tier(confirm=ask).add_preference("…", "style")`."""
        from lamina.layers.global_tier import GlobalTier

        return GlobalTier(self._door)

    @cached_property
    def split(self) -> Splits:
        """How this agent's context is split over the tiers: as chosen, or as use teaches."""
        from lamina.layers.splits import Splits

        return Splits(self._door, self.scope)

    @property
    def _door(self) -> Door:
        return cast("Door", self)
