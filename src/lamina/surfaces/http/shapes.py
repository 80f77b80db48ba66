"""What goes in and out, for the schema: the shapes of `lamina.surfaces.wire`, described.

Requests are read by these models, and what they do not name is refused. Answers are not: they go
out as `wire` makes them, and the tests hold them to what is described here.
"""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

Object = dict[str, Any]


class Body(BaseModel):
    """The body of a request: exactly these fields, of exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Question(BaseModel):
    """What an address is asked with. A name that is none of these is refused before."""


class Asked(Question):
    """What every list is asked with."""

    limit: int = Field(100, ge=1, le=1_000, description="At most so many.")
    cursor: str | None = Field(None, description="From the answer before: go on behind it.")


class Told(BaseModel):
    """An error as every surface tells it."""

    code: str = Field(description="Stable; see `lamina.errors`.", examples=["not_found"])
    message: str
    remedy: str = Field(description="What a person can do next.")
    retryable: bool = Field(description="Whether the same request may succeed later.")


class Problem(BaseModel):
    """What is wrong, as problem details (RFC 9457)."""

    type: str = Field(examples=["urn:lamina:error:not_found"])
    title: str
    status: int
    detail: str
    error: Told


class Record(BaseModel):
    """One memory at one revision."""

    id: str = Field(examples=["01kaf5r8q4m3n2p7d6s9t0v1w2"])
    scope: str = Field(examples=["project/web"])
    layer: str = Field(examples=["knowledge"])
    kind: str = Field(examples=["decision"])
    key: str | None
    state: str = Field(examples=["current"])
    text: str
    data: Object
    tags: list[str]
    importance: float
    confidence: float
    trust: str
    source: str
    tokens: int
    valid_from: str | None
    expires_at: str | None
    supersedes: str | None
    created_at: str
    updated_at: str
    rev: int


class Records(BaseModel):
    """Records, how many there are in all, and the way to the next page."""

    records: list[Record]
    total: int
    cursor: str | None = Field(description="Of the next page; null on the last.")


class Outcome(BaseModel):
    """What became of one record."""

    id: str
    rev: int
    action: str = Field(examples=["added"])
    state: str | None


class Receipt(BaseModel):
    """What one commit did; `tx` takes it back."""

    tx: str | None
    outcomes: list[Outcome]
    seqs: dict[str, int]
    durability: str | None
    pending: list[str]
    repeated: bool
    sealed: list[str]


class Event(BaseModel):
    """One link of the log."""

    stream: str
    seq: int
    tx: str
    record: str
    rev: int
    action: str
    actor: str
    surface: str
    at: str
    digest: str | None
    hash: str


class Version(BaseModel):
    """A change, and the version that it made; null when it was erased or pruned."""

    event: Event
    record: Record | None


class History(BaseModel):
    """Changes of a record, oldest first, and how many there are in all."""

    versions: list[Version]
    total: int


class Became(BaseModel):
    """One entry of a file, and what became of it."""

    fate: str
    item: int = Field(description="Its number, from 1; 0 where lines alone are counted.")
    line: int
    session: str | None
    text: str
    note: str


class Import(BaseModel):
    """What an import came to, or would."""

    applied: bool
    format: str
    scope: str
    sessions: int
    counts: dict[str, int] = Field(description="How many entries came to what.")
    reasons: dict[str, int] = Field(description="Why something was left out or refused.")
    problems: list[Became] = Field(description="What to look at: the first 1,000.")
    samples: list[Became]
    sealed: int
    transactions: list[str] = Field(description="What `POST /api/undo` takes, one for each batch.")


class Stopped(BaseModel):
    """Whether there was something to stop."""

    stopped: bool


class ImportLine(BaseModel):
    """One line of the answer to an import: progress, or in the last one report or error."""

    progress: float | None = Field(None, description="The share of the file that is done.")
    transactions: list[str] | None = Field(None, description="What was written since the last.")
    report: Import | None = None
    stopped: bool | None = None
    error: Told | None = None


class Touched(BaseModel):
    """A memory that would go, or that says the same and would stay."""

    id: str
    scope: str
    layer: str
    kind: str
    key: str | None
    state: str
    text: str = Field(description="The beginning of it, on one line.")
    versions: int
    sealed: int
    why: str = Field(description="How it comes into this, unless it was named.")


class ErasurePlan(BaseModel):
    """What would go for good, and what of it would stay; nothing was changed."""

    records: list[Touched]
    versions: int
    sealed: int
    words: int = Field(description="Entries in the index of words.")
    files: list[str] = Field(description="Files of the store that would be written anew.")
    mentions: list[str] = Field(description="Memories that say the same, and stay.")
    saying: list[Touched] = Field(description="The first hundred of these.")
    notes: list[str] = Field(description="Notes that would bring it back if imported again.")
    sources: list[str] = Field(description="Files outside that hold it, and stay.")


class Erasure(BaseModel):
    """What went for good, where it was looked for, and what remains."""

    records: list[str]
    versions: int
    sealed: int
    files: int
    bytes: int
    residue: list[str]
    unlooked: list[str]
    mentions: list[str]
    sources: list[str]
    chain_verified: bool
    complete: bool


class Hit(BaseModel):
    """A record that was found, how likely it is what was meant, and why."""

    record: Record
    score: float
    terms: list[str]
    parts: dict[str, float] = Field(description="What each signal adds; they explain the score.")
    marks: dict[str, list[list[int]]] | None = Field(
        None,
        description="Where words matched, if `marks` was asked for: begin and end, in units of"
        " UTF-16, in `text`, `key`, `source` and `tags.0`.",
    )


class Recall(BaseModel):
    """What a search found, and what it left out."""

    hits: list[Hit]
    abstained: bool
    suppressed: int
    expired: int
    doubtful: int
    repeated: int
    unfit: int
    degraded: list[str]
    took_ms: float


class WhyNot(BaseModel):
    """What kept a record out of a search; its rank is null when it is not in it."""

    record: str
    query: str
    rank: int | None
    reasons: list[str]
    score: float | None
    parts: dict[str, float]


class Knowledge(BaseModel):
    """One thing that is known."""

    id: str
    project: str | None
    category: str
    key: str | None
    value: str
    source: str
    confidence: float
    created_at: str
    updated_at: str
    rev: int


class KnowledgePage(BaseModel):
    """Some of what is known."""

    knowledge: list[Knowledge]
    total: int
    cursor: str | None


class Episode(BaseModel):
    """What was tried, and how it went."""

    id: str
    project: str | None
    task_id: str | None
    agent_id: str
    action: str
    approach: str | None
    outcome: str | None
    duration_ms: float | None
    tokens_in: float | None
    tokens_out: float | None
    created_at: str


class EpisodePage(BaseModel):
    """Some of what was tried."""

    episodes: list[Episode]
    total: int
    cursor: str | None


class Artifact(BaseModel):
    """A file that a task has produced."""

    id: str
    project: str | None
    task_id: str | None
    agent_id: str
    type: str
    path: str | None
    description: str
    size_bytes: float | None
    checksum: str | None
    created_at: str


class ArtifactPage(BaseModel):
    """Some of the files."""

    artifacts: list[Artifact]
    total: int
    cursor: str | None


class Place(BaseModel):
    """A place in history."""

    cursor: str


class Change(BaseModel):
    """One change: the event, the version that it made, the one before it."""

    event: Event
    record: Record | None
    before: Record | None
    cursor: str


class Changes(BaseModel):
    """Some of what happened, and where to go on."""

    changes: list[Change]
    cursor: str
    more: bool


class Latest(Changes):
    """The last changes; `cursor` is the present, and `older` the way back."""

    older: str | None = Field(description="For `before`; null when there is nothing before.")


class Facets(BaseModel):
    """Names that the newest records have, the commonest first."""

    kinds: list[str]
    tags: list[str]
    scopes: list[str]
    sources: list[str]


def problem_shape(description: str) -> dict[str, Any]:
    """A problem in the schema."""
    return {
        "model": Problem,
        "description": description,
        "content": {"application/problem+json": {}},
    }


PROBLEMS: Final[dict[int | str, Any]] = {
    401: problem_shape("No valid key or token was shown."),
    403: problem_shape("The role may not do this, or this principal does not see the place."),
    404: problem_shape("Not there, or not visible to the one who asks: the two look the same."),
    408: problem_shape("The body took too long to arrive."),
    409: problem_shape("Someone changed it first, or it is there already."),
    413: problem_shape("The body is larger than this server takes."),
    415: problem_shape("The body is not said to be JSON."),
    422: problem_shape("The request is wrong; the message names what is."),
    429: problem_shape("Too many attempts with what does not let in."),
    503: problem_shape("Busy; the same request may succeed later."),
}
"""What every route may answer with when something is wrong."""
