"""The shapes of keys, tokens and those who show them, for the schema."""

from pydantic import BaseModel, Field


class Principal(BaseModel):
    """Who somebody is, and what they are confined to."""

    name: str = Field(examples=["finn"])
    role: str = Field(examples=["agent"])
    root: str | None = Field(description="The scope; null for who sees everything.")


class Identity(BaseModel):
    """Who somebody turned out to be."""

    principal: Principal
    key: str = Field(description="The id of the key behind it.")
    until: str | None = Field(description="When what was shown runs out.")


class Key(BaseModel):
    """What is known of a key."""

    id: str
    principal: Principal
    label: str
    created_at: str
    expires_at: str | None
    revoked_at: str | None


class NewKey(Key):
    """A key with its text, which nobody is shown again."""

    text: str


class Keys(BaseModel):
    """Every key of the store."""

    keys: list[Key]


class Token(BaseModel):
    """What a key was exchanged for."""

    token: str
    expires_at: str
    lasts_seconds: float = Field(description="From now; clocks of two machines may differ.")
    principal: Principal


class Entered(Token):
    """What a code was traded for, and the code for the next time."""

    next_code: str


class Code(BaseModel):
    """What a browser signs in with, once."""

    code: str


class SignedOut(BaseModel):
    """Somebody has signed out."""

    left: bool
