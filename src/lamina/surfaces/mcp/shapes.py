"""JSON schemas of what tools answer with: no more of them than a client needs to know."""

from typing import Any, Final

TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "integer"}
ANYTHING: Final = {"type": "object"}


def object_of(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object that has these, all of them."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def list_of(items: dict[str, Any]) -> dict[str, Any]:
    """A list."""
    return {"type": "array", "items": items}


KEPT: Final = object_of(id=TEXT, action=TEXT)
"""What became of a record: an outcome of a receipt, of which this much matters to a model."""
