"""What the front door answers with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from lamina.core.ids import RecordId
from lamina.core.record import Record


@dataclass(frozen=True, slots=True)
class Hit:
    """A record that recall found, and why."""

    record: Record
    score: float
    """How likely it is what was asked for, from 0 to 1."""
    terms: tuple[str, ...]
    """The words of the query that it holds, as the analyser writes them."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What each signal adds to the score or takes from it; together they are its log odds."""


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer of a recall: what was found, and what was left out."""

    hits: tuple[Hit, ...]
    suppressed: int
    """How many older versions of these records were left out."""
    took_ms: float
    degraded: tuple[str, ...] = ()
    """Parts of the search that could not take part."""
    expired: int = 0
    """Records that match and were left out because their time has run out."""
    doubtful: int = 0
    """Records that came into question and were less likely than the floor."""
    repeated: int = 0
    """Records that say nearly the same as a hit and were left out for it."""
    unfit: int = 0
    """Records that would be hits and did not fit into the budget."""

    @property
    def abstained(self) -> bool:
        """Whether nothing relevant was found, so that nothing is returned."""
        return not self.hits and not self.unfit


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What kept a record out of a recall, or that it is in it."""

    record: RecordId
    query: str
    rank: int | None
    """Its place in the recall; `None` when it is not in it."""
    reasons: tuple[str, ...]
    """Why it is not in it, in sentences."""
    score: float | None = None
    """How likely it is what was asked for."""
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VectorHealth:
    """How far the vectors of a store have come, and what is in their way."""

    embedder: str
    """The embedder chosen for the store, or the one this process was given."""
    space: str | None
    """Whose vectors recall compares; `None` before the first."""
    next_space: str | None
    """Whose vectors are being made to take over."""
    usable: bool
    """Whether this process has the embedder of the active space, with its dimensions."""
    made: int
    pending: int
    refused: int
    """Texts that the embedder could not take."""
    error: str | None
    """What went wrong last, in this process."""
    set_aside: int = 0
    """Of the pending, texts that it could not take so far, in this process; they are tried again.
    """


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What indexing anew has done."""

    records: int
    """How many records the keyword index holds."""
    vectors: VectorHealth


@dataclass(frozen=True, slots=True)
class Erasure:
    """The report of an erase: what went, where it was looked for, and what remains."""

    records: tuple[RecordId, ...]
    versions: int
    sealed: int
    files: int
    """Files that were scanned byte by byte; 0 where the store keeps none."""
    bytes: int
    residue: tuple[str, ...]
    """Files that still hold erased bytes; empty when the erase is complete."""
    unlooked: tuple[str, ...]
    """Places of the store where copies may lie and nobody could look."""
    mentions: tuple[RecordId, ...]
    """Other visible records that say the same, in their text or data, or sum it up; erase them too
    if they should go."""
    chain_verified: bool
    sources: tuple[str, ...] = ()
    """Files outside the store that were indexed and still hold what was erased from it."""

    @property
    def complete(self) -> bool:
        """Whether nothing of it is left in the store."""
        return not self.residue and not self.unlooked and self.chain_verified


@dataclass(frozen=True, slots=True)
class Touched:
    """A record that an erase would remove, or that says the same and would stay."""

    id: RecordId
    scope: str
    layer: str
    kind: str
    key: str | None
    state: str
    text: str
    """The beginning of what it says, on one line."""
    versions: int = 0
    sealed: int = 0
    why: str = ""
    """How it comes into this, unless it was named."""


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """What an erase would remove, and what of it would stay. Nothing was changed."""

    records: tuple[Touched, ...]
    """Everything that goes: what was named, and the copies that Lamina itself made of it."""
    versions: int
    sealed: int
    words: int
    """Entries in the index of words; a vector goes with each record that has one."""
    files: tuple[str, ...]
    """Files of the store that show it: they are written anew, and kept copies of them removed.
    Only who sees the whole store is told."""
    mentions: tuple[RecordId, ...]
    """Other visible records that say the same or sum it up, and stay unless they are named too."""
    saying: tuple[Touched, ...]
    """The first hundred of these."""
    notes: tuple[str, ...] = ()
    """Notes that it was imported from: importing them again would bring it back."""
    sources: tuple[str, ...] = ()
    """Files outside the store that hold it and stay as they are."""


@dataclass(frozen=True, slots=True)
class BackupReport:
    """What a backup holds. It was read back and looked over before it got its name."""

    file: str
    bytes: int
    sha256: str
    """Of the whole file."""
    at: datetime
    format: int
    identity: str | None
    """The store that it is a copy of; a restore keeps it."""
    heads: tuple[tuple[str, int, str], ...]
    """Each stream with the sequence number and hash of its last event: the revision it is of."""
    records: int
    events: int
    secrets: int
    """Sealed values in it. The key that opens them is not: keep a copy of it elsewhere."""
    tombstones: int
    """Records that were erased before, and that a restore keeps erased."""


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """What a restore put in place."""

    directory: str
    at: datetime
    """When the backup was made."""
    format: int
    """The format of the backup; the restored store has the newest."""
    identity: str | None
    records: int
    erased: tuple[RecordId, ...]
    """Records of the backup that were erased since, and are gone again."""
    replaced: str | None
    """Where the store that was there before is kept, until you delete it."""
    secrets: int
    has_key: bool
    """Whether a key file lies in the directory; the backup has none."""


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What a move brought to another place, or would bring."""

    source: str
    target: str
    identity: str | None
    """Of the store at the target; that of the source, unless the source was kept."""
    applied: bool
    """Whether it was done, and not only looked at."""
    kept: bool
    """Whether the source stays a store of its own."""
    resumed: bool
    """Whether an earlier move had begun it."""
    rows: Mapping[str, int]
    """How many rows of each sort there are: records, versions, events, …"""
    digests: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of the rows of each table when both were compared."""
    recalled: int = 0
    """Questions that both were asked, with the same answers."""
    held_seconds: float = 0.0
    """How long writers were held."""
    key: str | None = None
    """Where the key that opens the secrets lies for the target; `None` where there is none."""
    hot: bool = False
    """Whether working memory, tasks and signals are in a Redis, where they stay."""


@dataclass(frozen=True, slots=True)
class LayerHistory:
    """The versions of one layer: how many there were, and how many of them went."""

    layer: str
    versions: int
    pruned: int


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """What maintenance took away, or after a dry run would take away."""

    applied: bool
    """Whether it was carried out."""
    at: datetime
    """The time by which ages were reckoned; it stands still while the clock is not believed."""
    layers: tuple[LayerHistory, ...]
    receipts: int
    """Receipts of idempotency keys that nobody will repeat any more."""
    asks: bool
    """Whether so much goes that somebody has to agree."""
    tidied: bool
    """Whether the write-ahead log was emptied; somebody reading can prevent it."""

    @property
    def versions(self) -> int:
        """How many versions there were, the newest of each record included."""
        return sum(layer.versions for layer in self.layers)

    @property
    def pruned(self) -> int:
        """How many of them went."""
        return sum(layer.pruned for layer in self.layers)


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What following the files of a folder came to, or after a dry run would come to."""

    applied: bool
    """Whether it was carried out."""
    root: str
    """What the folder is called in the keys of its chunks."""
    files: int = 0
    """Files that were met and not ignored."""
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    """Files known before that are gone, ignored by now, or not text any more."""
    chunks_written: int = 0
    chunks_unchanged: int = 0
    chunks_removed: int = 0
    bytes: int = 0
    """Of the files that are in the index now, as far as they were met."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Files that were left out, each with the reason."""
    notes: tuple[tuple[str, str], ...] = ()
    """Files that were taken in with a reservation."""
    scope: str = ""
    """Where the chunks are."""
    sealed: int = 0
    """Secrets that were found in what was written, and sealed."""
    degraded: tuple[str, ...] = ()
    """What could not be done about it yet, such as vectors while a service is down."""


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """What reading items out of files came to, or after a dry run would come to."""

    applied: bool
    """Whether it was carried out."""
    root: str
    """What the folder is called in the keys of its items."""
    scope: str
    """Where the items are."""
    files: int = 0
    """Files that were read."""
    added: int = 0
    replaced: int = 0
    """Items that say something else now, or stand on another line."""
    unchanged: int = 0
    expired: int = 0
    """Items that no file says any more."""
    kept_out: int = 0
    """Statements that somebody removed by hand, and that stay out."""
    proposed: int = 0
    """Proposals that were added or changed; they wait to be accepted."""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """How many items of each kind the files have now; proposals do not count."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Files that were left out, each with the reason."""
    notes: tuple[tuple[str, str], ...] = ()
    """Files that were read with a reservation."""
    sealed: int = 0
    """Secrets that were found in what was written, and sealed."""
    degraded: tuple[str, ...] = ()
    """What could not be done, such as proposals of a model that failed."""
