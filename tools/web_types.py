"""Write the types of the server's answers for the pages: `python -m tools.web_types`.

What the server's own schema says becomes `web/src/api/schema.ts`, which is committed, so that the
pages are checked against what the server really answers. A test compares the two.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).parent.parent / "web/src/api/schema.ts"
_HEAD: Final = (
    "// The shapes of the server's answers, from its own schema. Written by `make types`, not by "
    "hand.\n"
)
_JSON: Final = "application/json"
_LINES: Final = "application/x-ndjson"
"""Of answers in lines, what each line holds."""
_REFERENCE: Final = "#/components/schemas/"
_PLAIN: Final = {
    "string": "string", "integer": "number", "number": "number", "boolean": "boolean",
    "null": "null",
}  # fmt: skip


def types_of(told: dict[str, Any]) -> str:
    """The types of everything that the server of a schema answers with, by name."""
    known = told["components"]["schemas"]
    shapes = [*answers_of(told).values(), *answers_of(told, _LINES).values()]
    wanted = sorted(_reachable(shapes, known), key=_name)
    return _HEAD + "".join(f"\n{_interface(name, known[name])}" for name in wanted)


def answers_of(told: dict[str, Any], kind: str = _JSON) -> dict[tuple[str, str], Any]:
    """What each route answers with when nothing is wrong, by method and path."""
    found: dict[tuple[str, str], Any] = {}
    for path, methods in told["paths"].items():
        for method, route in methods.items():
            for status, answer in route["responses"].items():
                shape = answer.get("content", {}).get(kind, {}).get("schema")
                if status.startswith("2") and shape:
                    found[method.upper(), path] = shape
    return found


def type_of(shape: dict[str, Any]) -> str:
    """A shape as a type."""
    if "$ref" in shape:
        return _name(str(shape["$ref"]).removeprefix(_REFERENCE))
    if "anyOf" in shape:
        return " | ".join(dict.fromkeys(type_of(one) for one in shape["anyOf"]))
    if "const" in shape or "enum" in shape:
        return " | ".join(f'"{one}"' for one in shape.get("enum", [shape.get("const")]))
    if shape.get("type") == "array":
        inner = type_of(shape.get("items", {}))
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if shape.get("type") == "object":
        inner = shape.get("additionalProperties", True)
        return f"{{ [name: string]: {type_of(inner) if isinstance(inner, dict) else 'unknown'} }}"
    return _PLAIN.get(str(shape.get("type")), "unknown")


def _interface(name: str, shape: dict[str, Any]) -> str:
    always = set(shape.get("required", ()))
    lines = [*_comment(shape, ""), f"export interface {_name(name)} {{"]
    for field, one in shape.get("properties", {}).items():
        lines += [
            *_comment(one, "  "),
            f"  {field}{'' if field in always else '?'}: {type_of(one)};",
        ]
    return "\n".join([*lines, "}", ""])


def _name(known: str) -> str:
    """The name of a shape; where a request has a shape of that name too, the schema marks both."""
    name = known.removesuffix("-Output")
    if not name.isidentifier() or "__" in name:
        raise ValueError(f"two shapes of answers have the same name: {known}")
    return name


def _comment(shape: dict[str, Any], indent: str) -> list[str]:
    said = " ".join(str(shape.get("description", "")).split()).replace("*/", "")
    return [f"{indent}/** {said} */"] if said else []


def _reachable(shapes: list[Any], known: dict[str, Any]) -> set[str]:
    found: set[str] = set()
    while shapes:
        for name in _named(shapes.pop()):
            if name not in found:
                found.add(name)
                shapes.append(known[name])
    return found


def _named(shape: Any) -> Iterator[str]:
    if isinstance(shape, dict):
        if isinstance(shape.get("$ref"), str):
            yield shape["$ref"].removeprefix(_REFERENCE)
        for one in shape.values():
            yield from _named(one)
    elif isinstance(shape, list):
        for one in shape:
            yield from _named(one)


def main() -> None:
    """Write the file."""
    from lamina.surfaces.http.app import describe

    FILE.write_text(types_of(describe()), encoding="utf-8")
    print(f"Written: {FILE.name}")


if __name__ == "__main__":
    main()
