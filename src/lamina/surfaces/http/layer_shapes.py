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


class Compacted(BaseModel):
    """What gave way to a summary, or would."""

    applied: bool
    compacted: list[Object]


class Status(BaseModel):
    """What is being done."""

    scope: str
    objective: str
    next_steps: list[str]
    updated_at: str | None


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


class Plan(BaseModel):
    """What one policy would do now."""

    name: str
    why: str
    takes: int
    of: int
    left: int
    asks: bool
    steps: list[Object]


class Plans(BaseModel):
    """What would be done now, by policy."""

    plans: list[Plan]


class Upkeep(BaseModel):
    """What upkeep did, or would do."""

    applied: bool
    at: str
    asks: list[str]
    plans: list[Plan]
    logs: Any
    compacted: list[Object]
    history: Object | None


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


class Context(BaseModel):
    """What is put before a model, what was left out, and how the budget was shared."""

    text: str
    messages: list[Object]
    blocks: str
    budget: int
    tokens: int
    considered: int
    compression: float
    split: Object
    parts: Object
    entries: list[Object]
    left_out: list[Object]


class Part(BaseModel):
    """How one part of the server is doing."""

    part: str = Field(examples=["write"])
    status: str = Field(description="green, amber or red", examples=["green"])
    message: str = Field(description="What is wrong; told to the store's owner alone.")
    worked_at: str | None = Field(description="When it last worked, in this server.")
    failed_at: str | None
    backlog: Object | None = Field(description="Vectors that wait; told to the owner alone.")
    store_changed_at: str | None = Field(description="The last write by whatever process.")


class Health(BaseModel):
    """Whether the server is well: the worst of its parts."""

    status: str
    parts: list[Part]


class Agent(BaseModel):
    """An agent, and where what is its own lies."""

    name: str
    scope: str


class Overview(BaseModel):
    """What there is within sight."""

    records: int
    layers: dict[str, int]
    projects: list[str]
    agents: list[Agent]
    proposals: int


class Findings(BaseModel):
    """What looking over the store has found."""

    findings: list[Object]
