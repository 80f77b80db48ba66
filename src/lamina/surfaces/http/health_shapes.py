"""What the answers about the store as a whole look like: whether it is well, and what it holds."""

from pydantic import BaseModel, Field


class Vectors(BaseModel):
    """How far the vectors of the store have come."""

    embedder: str
    space: str | None
    next_space: str | None
    usable: bool
    made: int
    pending: int
    refused: int
    set_aside: int
    error: str | None


class Part(BaseModel):
    """How one part of the server is doing."""

    part: str = Field(examples=["write"])
    status: str = Field(description="green, amber or red", examples=["green"])
    message: str = Field(description="What is wrong; told to the store's owner alone.")
    worked_at: str | None = Field(description="When it last worked, in this server.")
    failed_at: str | None
    backlog: Vectors | None = Field(description="Vectors that wait; told to the owner alone.")
    store_changed_at: str | None = Field(description="The last write by whatever process.")


class Durable(BaseModel):
    """What an acknowledged write survives."""

    level: str = Field(
        description="synced: power loss; committed: the end of the process; ephemeral: neither",
        examples=["synced"],
    )
    weaker: dict[str, str] = Field(description="Layers that survive less, each with its level.")


class Health(BaseModel):
    """Whether the server is well: the worst of its parts."""

    status: str
    parts: list[Part]
    durability: Durable


class Agent(BaseModel):
    """An agent, where what is its own lies, and what it said last of what it does."""

    name: str
    scope: str
    objective: str
    updated_at: str | None


class ProjectSize(BaseModel):
    """What a project holds."""

    name: str
    records: int
    tokens: int
    agents: int


class Overview(BaseModel):
    """What there is within sight."""

    records: int
    tokens: int
    layers: dict[str, int]
    layer_tokens: dict[str, int]
    projects: list[str]
    project_sizes: list[ProjectSize]
    agents: list[Agent]
    proposals: int
    again_ms: int | None = Field(
        description="When it is counted anew, if more was written since; null when nothing was."
    )


class Recalls(BaseModel):
    """How recalls through this server went."""

    since: str = Field(description="When the server began to count.")
    asked: int
    abstained: int = Field(description="Those to which nothing relevant was found.")
    median_ms: float | None = Field(description="Of the latest ones.")


class Weighed(BaseModel):
    """How much of what is known says the same as something else, or has faded."""

    at: str
    known: int
    repeated: int
    stale: int


class DaySpent(BaseModel):
    """The tokens of one day."""

    day: str
    tokens: int


class AgentSpent(BaseModel):
    """The tokens of one agent."""

    name: str
    tokens: int


class Spent(BaseModel):
    """What attempts at tasks have cost."""

    at: str
    episodes: int
    tokens_in: int
    tokens_out: int
    days: list[DaySpent]
    agents: list[AgentSpent]


class Figures(BaseModel):
    """Figures that take long: null until they are there."""

    recalls: Recalls
    knowledge: Weighed | None
    spent: Spent | None
    again_ms: int | None


class Finding(BaseModel):
    """One thing that looking over the store has found."""

    check: str
    severity: str
    message: str
    truth: str
    remedy: str


class Findings(BaseModel):
    """What looking over the store has found."""

    findings: list[Finding]
