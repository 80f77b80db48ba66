"""Principals: who acts, in which role, bound to which root.

A principal is bound when a handle is opened and travels with every call; nothing a caller passes
later can widen it.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from lamina.core.names import check_name
from lamina.core.record import Trust
from lamina.core.scope import GLOBAL, Scope
from lamina.errors import InvalidInputError


class Role(StrEnum):
    """What sort of actor this is; `lamina.core.access` says what each may do."""

    ADMIN = "admin"
    ORCHESTRATOR = "orchestrator"
    AGENT = "agent"
    SKILL = "skill"
    READER = "reader"


class Surface(StrEnum):
    """Through which door a change came in; it is written into the event."""

    LIBRARY = "library"
    CLI = "cli"
    IMPORT = "import"
    FILES = "files"
    """Files that people edited."""
    PIPELINE = "pipeline"
    """Extraction and indexing: the only writer of the layers they own."""
    HTTP = "http"
    MCP = "mcp"
    HOOK = "hook"
    """What a coding harness tells of its sessions."""


_TRUST: Final = {
    Role.ADMIN: Trust.USER,
    Role.ORCHESTRATOR: Trust.AGENT,
    Role.AGENT: Trust.AGENT,
    Role.SKILL: Trust.TOOL,
    Role.READER: Trust.AGENT,
}


@dataclass(frozen=True, slots=True)
class Principal:
    """Who acts. `root` confines everything to one project, user or agent, plus reading `global`."""

    name: str = "user"
    role: Role = Role.ADMIN
    root: Scope | None = None
    surface: Surface = Surface.LIBRARY

    def __post_init__(self) -> None:
        check_name(self.name, "name")
        if self.role in (Role.AGENT, Role.SKILL) and self.name == "user":
            raise InvalidInputError(
                f"`user` is the person's own name, not one for a {self.role.value}",
                remedy="Give it another name",
            )
        if self.role is Role.AGENT and self.root is None:
            raise InvalidInputError(
                "an agent needs a root",
                remedy='Bind it to a project: mem.agent("finn", project="web")',
            )

    @property
    def trust(self) -> Trust:
        """The highest trust this principal's statements can have."""
        return _TRUST[self.role]

    @property
    def is_owner(self) -> bool:
        """Whether this is who has the whole store: an admin whom nothing confines."""
        return self.role is Role.ADMIN and self.root is None

    @property
    def home(self) -> Scope | None:
        """The scope that is this agent's own."""
        if self.root is None or self.role is not Role.AGENT:
            return self.root
        is_own_root = self.root.path == f"agent/{self.name}"
        return self.root if is_own_root else self.root.child("agent", self.name)

    @property
    def common(self) -> Scope:
        """The scope that it shares with others: that of its project, else everybody's."""
        return self.root or GLOBAL

    @property
    def identity(self) -> str:
        """One text that tells this principal from every other, for idempotency keys."""
        root = self.root.path if self.root else "*"
        return f"{self.role.value}:{self.name}@{root}"


def check_role(role: object) -> Role:
    """Return the role called `role`, or list the roles there are."""
    try:
        return Role(role)  # type: ignore[arg-type]  # any value may arrive; the enum refuses it
    except ValueError:
        raise InvalidInputError(
            f"`role` is not known: {role!r:.40}", remedy=f"Use one of: {', '.join(Role)}"
        ) from None
