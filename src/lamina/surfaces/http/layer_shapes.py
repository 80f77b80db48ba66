"""The shapes of what layers, lifecycle and settings answer with, for the schema."""

from typing import Any

from pydantic import BaseModel, Field

from lamina.surfaces.http.shapes import Object, Receipt, Record


class MaybeReceipt(BaseModel):
    """What a commit did; null when there was nothing to do."""

    receipt: Receipt | None


class Names(BaseModel):
    """Sessions by name."""

    sessions: list[str]


class Summed(BaseModel):
    """What gave way to one summary, or would."""

    what: str
    scope: str
    why: str
    replaced: int
    kept: int
    before_tokens: int
    after_tokens: int
    before_bytes: int
    after_bytes: int
    summary: str
    archive_id: str | None
    tx: str | None


class Compacted(BaseModel):
    """What gave way to summaries, or would."""

    applied: bool
    compacted: list[Summed]


class Status(BaseModel):
    """What is being done."""

    scope: str
    objective: str
    next_steps: list[str]
    updated_at: str | None
    rev: int = Field(description="What `expect` takes to change this and nothing else.")


class Signal(BaseModel):
    """What stands on the board under a key."""

    key: str
    value: Any
    publisher: str
    published_at: str
    rev: int
    expires_at: str | None


class Signals(BaseModel):
    """What stands on the board."""

    signals: list[Signal]


class Published(Receipt):
    """A receipt, and how the signal departs from what was declared."""

    drift: list[str]


class Schemas(BaseModel):
    """What was declared, by namespace: each key with the type of its value."""

    schemas: dict[str, dict[str, str]]


class Edge(BaseModel):
    """One task that waits for another."""

    task: str | None
    waits_for: str


class Graph(BaseModel):
    """Tasks, and which waits for which."""

    tasks: list[Record]
    edges: list[Edge]


class Snippet(BaseModel):
    """One memory as it was when it was handed over."""

    text: str
    source: str
    trust: str
    record: str | None


class Handoff(BaseModel):
    """A request from one agent to another, and its answer once there is one."""

    id: str
    sender: str = Field(alias="from")
    to: str
    action: str
    memory: list[Snippet]
    context: Any
    at: str
    status: str
    answer: str | None
    returned: list[Snippet]


class Handoffs(BaseModel):
    """Requests."""

    handoffs: list[Handoff]


class Step(BaseModel):
    """What would become of one record."""

    id: str
    rev: int
    scope: str
    layer: str
    does: str = Field(examples=["promote"])
    reason: str
    kind: str = Field("", description="Of knowledge, where it is promoted; otherwise left out.")
    target: str = Field("", description="The scope that it becomes knowledge of, likewise.")
    merged: list[str] = Field([], description="What it stands for; left out where nothing.")


class Plan(BaseModel):
    """What one policy would do now."""

    name: str
    why: str
    takes: int
    of: int
    left: int
    asks: bool
    steps: list[Step]


class Plans(BaseModel):
    """What would be done now, by policy."""

    plans: list[Plan]


class Done(Plan):
    """What one policy did, or would do."""

    waits: bool
    tx: str | None


class Shortened(BaseModel):
    """A log or a session that was compacted, or would be."""

    what: str
    entries: int
    tx: str | None


class Arranged(BaseModel):
    """A project that got partitions of its own in Postgres, or gave them back."""

    scope: str
    records: int
    apart: bool


class Upkeep(BaseModel):
    """What upkeep did, or would do."""

    applied: bool
    at: str
    asks: list[str]
    plans: list[Done]
    logs: int | None
    compacted: list[Shortened]
    history: Object | None
    partitions: list[Arranged]


class Setting(BaseModel):
    """One setting."""

    name: str
    value: str
    default: str
    choices: list[str]
    form: str
    meaning: str
    variable: str | None


class Settings(BaseModel):
    """Every setting."""

    settings: list[Setting]


class Split(BaseModel):
    """How what is recalled was to be shared, and who said so."""

    shares: dict[str, float]
    origin: str = Field(examples=["setting"])


class Entry(BaseModel):
    """One memory that is shown to a model."""

    id: str
    part: str
    tokens: int
    score: float | None
    cut: bool
    line: str


class LeftOut(BaseModel):
    """One memory that is not shown, and why."""

    id: str
    why: str


class Context(BaseModel):
    """What is put before a model, what was left out, and how the budget was shared."""

    text: str
    messages: list[dict[str, str]]
    blocks: str
    budget: int
    tokens: int
    considered: int
    compression: float
    split: Split
    parts: dict[str, int] = Field(description="How many tokens each part takes.")
    rooms: dict[str, int] = Field(description="What each part could count on, in tokens.")
    entries: list[Entry]
    left_out: list[LeftOut]
    degraded: list[str] = Field(description="What could not be looked at, and why.")


class Verified(BaseModel):
    """One artifact, and how its file stands now."""

    path: str
    standing: str = Field(description="same, changed, missing or unknown", examples=["same"])
    record: Record


class Verification(BaseModel):
    """How files stand to what was registered."""

    ok: bool
    workspace: str
    at: str
    artifacts: list[Verified]
