"""Who may see and do what: pure functions of a principal, a layer and a scope.

`reach` says what a principal can see, as exact scopes and subtrees that a store compiles into its
own predicate, so that no caller can forget it. `may_write` decides on changes. Together they are
the access matrices of the four-layer and the file-based designs.
"""

from dataclasses import dataclass, replace
from typing import Final

from lamina.core.layers import LAYERS, OWNERS, SHARED
from lamina.core.principal import Principal, Role, Surface
from lamina.core.record import Record
from lamina.core.scope import GLOBAL, Scope, root_of, stream_of
from lamina.errors import ForbiddenError

_EVERY: Final = frozenset(LAYERS) - OWNERS
_NOT_WORKING: Final = _EVERY - {"working"}
_AGENT_WRITES: Final = frozenset(("knowledge", "episode", "artifact", "blackboard", "task"))
_FILLERS: Final = (Surface.PIPELINE, Surface.IMPORT)
_FOREIGN: Final = (*_FILLERS, Surface.FILES, Surface.HOOK)
"""Doors through which comes what somebody else wrote."""
_PRODUCER_ONLY: Final = frozenset(("episode", "artifact"))
PUBLIC: Final = "visibility=public"
"""The tag of what an agent lets the others of its project ask for."""
PUBLISHED: Final = frozenset(("knowledge", "fact", "notebook"))
"""The layers of which an agent may make records public."""
HANDED: Final = "notebook"
"""The layer of messages from one agent to another."""
_FROM: Final = "from-"


@dataclass(frozen=True, slots=True)
class Grant:
    """Sight of some layers in one scope, or (with `subtree`) in everything below it as well."""

    layers: frozenset[str]
    scope: str | None
    """`None` stands for every scope there is."""
    subtree: bool = True

    def covers(self, scope: str, layer: str) -> bool:
        """Whether a record of this scope and layer can be seen by this grant."""
        if layer not in self.layers:
            return False
        if self.scope is None or scope == self.scope:
            return True
        return self.subtree and scope.startswith(self.scope + "/")

    def within(self, scope: Scope) -> "Grant | None":
        """What remains of the grant below a scope."""
        if self.scope is None or self.subtree and scope.path.startswith(self.scope + "/"):
            return Grant(self.layers, scope.path)
        inside = self.scope == scope.path or self.scope.startswith(scope.path + "/")
        return self if inside else None

    def meeting(self, other: "Grant") -> "Grant | None":
        """What both grants let be seen."""
        layers = self.layers & other.layers
        if not layers:
            return None
        if other.scope is None:
            return Grant(layers, self.scope, self.subtree)
        if self.scope is None:
            return Grant(layers, other.scope, other.subtree)
        if self.scope == other.scope:
            return Grant(layers, self.scope, self.subtree and other.subtree)
        for above, below in ((self, other), (other, self)):
            if above.subtree and str(below.scope).startswith(f"{above.scope}/"):
                return Grant(layers, below.scope, below.subtree)
        return None


@dataclass(frozen=True, slots=True)
class Reach:
    """All that a principal can see: the union of its grants. Nothing else exists for it."""

    grants: tuple[Grant, ...]

    def sees(self, record: Record) -> bool:
        """Whether this record exists for the principal."""
        return self.covers(record.scope, record.layer)

    def covers(self, scope: str, layer: str) -> bool:
        """Whether records of this scope and layer can be seen."""
        # Asked for every scope of every search: `any` over a generator takes twice as long.
        for grant in self.grants:  # noqa: SIM110
            if grant.covers(scope, layer):
                return True
        return False

    def within(self, scope: Scope) -> "Reach":
        """The part of this reach that lies in a scope or below it."""
        narrowed = (grant.within(scope) for grant in self.grants)
        return Reach(tuple(grant for grant in narrowed if grant is not None))

    def without(self, layers: frozenset[str]) -> "Reach":
        """The same less some layers."""
        return Reach(tuple(replace(grant, layers=grant.layers - layers) for grant in self.grants))

    def meeting(self, other: "Reach") -> "Reach":
        """What lies within both reaches: whatever is asked for never widens what one has."""
        pairs = (one.meeting(theirs) for one in self.grants for theirs in other.grants)
        return Reach(tuple(dict.fromkeys(met for met in pairs if met is not None)))

    def sees_stream(self, stream: str) -> bool:
        """Whether a whole stream lies open, so that even its erased records may be counted."""
        root = root_of(stream)
        return any(
            (grant.scope is None or grant.scope == root and grant.subtree)
            and grant.layers >= _NOT_WORKING
            for grant in self.grants
        )

    def streams(self) -> frozenset[str] | None:
        """The streams that can hold anything visible; `None` when there is no bound."""
        if any(grant.scope is None for grant in self.grants):
            return None
        return frozenset(stream_of(grant.scope) for grant in self.grants if grant.scope)

    def knows(self, root: str) -> bool:
        """Whether what somebody confined to `root` does with records in sight is known here.

        What another project's agents read in `global` is nobody else's business.
        """
        streams = self.streams()
        return not root or streams is None or stream_of(root) in streams


EVERYTHING: Final = Reach((Grant(frozenset(LAYERS), None),))


def reach(principal: Principal) -> Reach:
    """What the principal can see."""
    root = principal.root
    match principal.role:
        case Role.ADMIN:
            return EVERYTHING if root is None else _rooted(root, _EVERY)
        case Role.ORCHESTRATOR:
            return _rooted(root, _NOT_WORKING)
        case Role.READER:
            return _rooted(root, SHARED)
        case Role.AGENT:
            return _agent_reach(principal)
        case Role.SKILL:
            return Reach(())


def mailbox(root: Scope, to: str, sender: str) -> Scope:
    """Where one agent of a project leaves what is for another, in that one's own scope.

    No third agent sees it or writes there, so who a message is from needs no other proof.
    """
    return root.child("agent", to).child("session", f"{_FROM}{sender}")


def sender_of(scope: Scope) -> str | None:
    """Who leaves messages in a mailbox; `None` when the scope is none."""
    name = scope.part("session") or ""
    return name.removeprefix(_FROM) if name.startswith(_FROM) and name != _FROM else None


def public_reach(principal: Principal, agent: str) -> Reach:
    """Where the public records of an agent of the same project are; `PUBLIC` says which they are.

    Raises:
        ForbiddenError: The principal may ask nobody.
    """
    root = principal.root
    if principal.role is Role.SKILL or root is None or root.part("project") is None:
        raise ForbiddenError(
            f"{principal.role.value} `{principal.name}` may not ask other agents",
            remedy="Only who belongs to a project asks, and a skill has what it was handed",
        )
    home = root.child("agent", agent).path
    # Not what lies below its sessions: there others leave what they say in their own names.
    return Reach((Grant(PUBLISHED, home, subtree=False), Grant(PUBLISHED, f"{home}/task")))


def may_write(principal: Principal, scope: Scope, layer: str) -> bool:
    """Whether the principal may add records there."""
    if LAYERS[layer].pipeline_only and principal.surface not in _FILLERS:
        return False
    if layer in OWNERS and principal.surface in _FOREIGN:
        return False
    return _role_writes(principal, scope, layer)


def _role_writes(principal: Principal, scope: Scope, layer: str) -> bool:
    root = principal.root
    if layer in OWNERS:
        # Also not in a scope of one's own: what stands there decides who may come in.
        return principal.is_owner
    match principal.role:
        case Role.ADMIN:
            return root is None or root.contains(scope)
        case Role.ORCHESTRATOR:
            return layer != "working" and (root is None or root.contains(scope))
        case Role.AGENT:
            if principal.home is not None and principal.home.contains(scope):
                return True
            if layer == HANDED and _is_own_mailbox(principal, scope):
                return True
            return layer in _AGENT_WRITES and _is_common(principal, scope)
        case _:
            return False


def check_write(principal: Principal, scope: Scope, layer: str) -> None:
    """Raise unless the principal may add records there."""
    if not may_write(principal, scope, layer):
        raise _refused(principal, scope, layer)


def check_change(principal: Principal, record: Record) -> None:
    """Raise unless the principal may revise this record, which it can see."""
    check_write(principal, Scope.of(record.scope), record.layer)
    if record.layer in _PRODUCER_ONLY:
        _check_own(principal, record)


def check_removal(principal: Principal, record: Record) -> None:
    """Raise unless the principal may forget, take back or erase this record, which it can see.

    What others have said in common scopes an agent may only oppose, by writing something else.
    What the pipeline wrote may go through any door: it may hold what nobody meant to have read.
    """
    scope = Scope.of(record.scope)
    if not _role_writes(principal, scope, record.layer):
        raise _refused(principal, scope, record.layer)
    if record.layer in _PRODUCER_ONLY | {"knowledge"}:
        _check_own(principal, record)


def check_settle(principal: Principal, record: Record) -> None:
    """Raise unless the principal may make a proposal current."""
    if principal.role not in (Role.ADMIN, Role.ORCHESTRATOR):
        raise ForbiddenError(
            f"only an orchestrator or admin accepts proposals such as {record.id}",
            remedy="Ask one of them; `lamina list --state proposed` shows what waits",
        )


def _check_own(principal: Principal, record: Record) -> None:
    if principal.role is not Role.AGENT or _is_at_home(principal, record):
        return
    # A name alone proves nothing: an agent may be called like the user.
    said_it = record.source == principal.name and record.trust.rank <= principal.trust.rank
    if not said_it:
        raise ForbiddenError(
            f"agent `{principal.name}` may not do this to a record of `{record.source}`",
            remedy=f"In common scopes, an entry of `{record.layer}` is its producer's and the"
            " orchestrator's to change",
        )


def _is_at_home(principal: Principal, record: Record) -> bool:
    home = principal.home
    return home is not None and home.contains(Scope.of(record.scope))


def may_name_source(principal: Principal) -> bool:
    """Whether the principal may say that someone else is the source."""
    return principal.role in (Role.ADMIN, Role.ORCHESTRATOR)


def may_reveal(principal: Principal, record: Record) -> bool:
    """Whether the principal may read the secrets sealed in a record that it can see.

    An agent only in its own scope: who said something last in a common one proves nothing.
    """
    if principal.role is Role.AGENT:
        # What another has left there is handed over with its references only.
        handed = record.layer == HANDED and sender_of(Scope.of(record.scope))
        return _is_at_home(principal, record) and not handed
    inside = principal.root is None or _is_at_home(principal, record)
    return inside and principal.role in (Role.ADMIN, Role.ORCHESTRATOR)


def waits_for_review(principal: Principal, scope: Scope, layer: str) -> bool:
    """Whether this is an agent's project knowledge, which waits where a store asks for review."""
    at_home = principal.home is not None and principal.home.contains(scope)
    return principal.role is Role.AGENT and layer == "knowledge" and not at_home


def _rooted(root: Scope | None, layers: frozenset[str]) -> Reach:
    if root is None:
        return Reach((Grant(layers, None),))
    return Reach((Grant(layers, root.path), Grant(SHARED & layers, GLOBAL.path, subtree=False)))


def _agent_reach(principal: Principal) -> Reach:
    """Own scope whole; the common scopes of the project and `global` in the shared layers only."""
    root, home = principal.root, principal.home
    if root is None or home is None:
        return Reach(())
    grants = [
        Grant(_EVERY, home.path),
        Grant(SHARED, root.path, subtree=False),
        Grant(SHARED, f"{root.path}/task"),
        Grant(SHARED, GLOBAL.path, subtree=False),
    ]
    return Reach(tuple(grants))


def _is_common(principal: Principal, scope: Scope) -> bool:
    """Whether the scope is the project itself or one of its tasks, not someone's own."""
    root = principal.root
    if root is None:
        return False
    return scope.path == root.path or scope.path.startswith(f"{root.path}/task/")


def _is_own_mailbox(principal: Principal, scope: Scope) -> bool:
    """Whether this is where the principal leaves messages for another agent of its project."""
    root, to = principal.root, scope.part("agent")
    if root is None or to is None or root.part("project") is None:
        return False
    return sender_of(scope) == principal.name and scope == mailbox(root, to, principal.name)


def _refused(principal: Principal, scope: Scope, layer: str) -> ForbiddenError:
    return ForbiddenError(
        f"{principal.role.value} `{principal.name}` may not write `{layer}` in `{scope}`",
        remedy=_way_out(principal, layer),
    )


def _way_out(principal: Principal, layer: str) -> str:
    if LAYERS[layer].pipeline_only:
        return "This layer is filled by extraction and indexing alone"
    if layer in OWNERS:
        return "Only the owner of the whole store writes there; `lamina token` does"
    if principal.role in (Role.SKILL, Role.READER):
        return f"The role {principal.role.value} only reads; open a handle with another role"
    return "Write to your own scope, or ask an orchestrator or admin"
