"""A function as something that a model can ask for: what it takes is read off its signature.

What a model is told and what is called cannot differ, for both come from here. A parameter is
described by an `Annotated` hint, or by the docstring of the function.
"""

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from lamina.core.canonical import check
from lamina.core.docstrings import told_by
from lamina.core.shapes import Shape, in_words, is_optional, shape_of
from lamina.errors import InvalidInputError

_UNTELLABLE: Final = "Use str, int, float, bool, list, dict or Literal, or write a `Skill`"


@dataclass(frozen=True, slots=True)
class About:
    """What a model is told of a parameter."""

    text: str
    one_of: tuple[str, ...] = ()
    at_most: int | None = None


@dataclass(frozen=True, slots=True)
class Skill:
    """Something that a model can ask for by name."""

    name: str
    description: str
    parameters: dict[str, Any]
    """A JSON schema of the arguments."""
    execute: Callable[..., Any]
    """Takes the arguments by name; one that is missing, unknown or wrong is named in the error."""
    safe_to_repeat: bool = False
    """Whether to run it again does no harm, where nobody knows if it ran before a crash."""
    seconds: float | None = None
    """How long it may take; unless it says, as long as whoever calls it allows."""
    apart: bool = False
    """Whether it runs in a process of its own, which can be ended."""

    @property
    def metadata(self) -> dict[str, Any]:
        """Name, description and parameters as one object."""
        return {
            "name": self.name, "description": self.description, "parameters": self.parameters,
        }  # fmt: skip


def skill_of(function: Callable[..., Any], *given: object, name: str = "") -> Skill:
    """A skill of a function; its first parameters are those `given`, of which no model hears."""
    plain = _plain(function)
    called = name or str(getattr(plain, "__name__", ""))
    description, told = told_by(inspect.getdoc(plain) or "")
    known = dict(_parameters(function, called, len(given), told))
    takes_more = known.pop("", None) is not None

    @functools.wraps(plain)
    def execute(**arguments: Any) -> Any:
        for argument, value in arguments.items():
            if argument in known:
                known[argument].check(argument, value)
            elif not takes_more:
                what = f"`{argument!s:.40}` is not one of its arguments"
                raise _wrong(called, what, known)
        for argument, parameter in known.items():
            if parameter.required and argument not in arguments:
                raise _wrong(called, f"`{argument}` is missing", known)
        return function(*given, **arguments)

    schema = {
        "type": "object",
        "properties": {argument: one.schema() for argument, one in known.items()},
        "required": [argument for argument, one in known.items() if one.required],
        "additionalProperties": takes_more,
    }
    return Skill(called, description, schema, execute)


@dataclass(frozen=True, slots=True)
class _Parameter:
    shape: Shape
    about: About
    required: bool
    nullable: bool

    def schema(self) -> dict[str, Any]:
        said = dict(self.shape.schema)
        if self.about.text:
            said["description"] = self.about.text
        if self.about.one_of:
            said["enum"] = list(self.about.one_of)
        if self.about.at_most is not None:
            said |= {"minimum": 1, "maximum": self.about.at_most}
        return said

    def check(self, name: str, value: object) -> None:
        """Refuse what the schema does not allow. Models write null for what they leave out."""
        if value is None and self.nullable:
            return
        if not self.shape.fits(value):
            raise InvalidInputError(f"`{name}` must be {self.shape.words}, not {in_words(value)}")
        check(value, name)
        one_of, at_most = self.about.one_of, self.about.at_most
        if one_of and value not in one_of:
            raise InvalidInputError(
                f"`{name}` must be one of {', '.join(one_of)}, not {value!r:.60}"
            )
        if at_most is not None and isinstance(value, int) and not 1 <= value <= at_most:
            raise InvalidInputError(f"`{name}` must be from 1 to {at_most}, not {value}")


def _parameters(
    function: Callable[..., Any], called: str, given: int, told: Mapping[str, str]
) -> Iterator[tuple[str, _Parameter]]:
    """What a skill takes, beside what is given; no name at all for whatever else it takes."""
    hints = _hints(function, called)
    for name, parameter in list(_signature(function, called).parameters.items())[given:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            raise InvalidInputError(
                f"`{called}` takes `{name}` by its place, and models give arguments by name",
                remedy="Give it a parameter with a name",
            )
        hint, about = _described(hints.get(name, Any), told.get(name, ""))
        nullable = is_optional(hint) or parameter.default is None
        shape = shape_of(hint)
        if shape is None:
            raise InvalidInputError(
                f"`{name}` of `{called}` is {hint!r:.60}, which no model can write",
                remedy=_UNTELLABLE,
            )
        is_rest = parameter.kind is parameter.VAR_KEYWORD
        required = parameter.default is parameter.empty and not is_rest
        yield "" if is_rest else name, _Parameter(shape, about, required, nullable)


def _described(hint: Any, told: str) -> tuple[Any, About]:
    """A hint without what describes it, and the description, of the hint or of the docstring."""
    for one in (hint, *get_args(hint)):
        if get_origin(one) is Annotated:
            plain, *notes = get_args(one)
            bare = plain | None if one is not hint else plain
            for note in notes:
                if isinstance(note, About | str):
                    return bare, note if isinstance(note, About) else About(note)
            return bare, About(told)
    return hint, About(told)


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function or method that is called in the end, which has the name and the docstring."""
    if isinstance(function, functools.partial):
        return _plain(function.func)
    if inspect.isroutine(function):
        return function
    if inspect.isclass(function) or not callable(function):
        raise InvalidInputError(
            f"{function!r:.60} is no tool", remedy="Pass functions or `lamina.skills.Skill`s"
        )
    return type(function).__call__


def _hints(function: Callable[..., Any], called: str) -> dict[str, Any]:
    try:
        return get_type_hints(_plain(function), include_extras=True)
    except Exception as error:  # whatever stands in an annotation is run
        raise InvalidInputError(
            f"the types that `{called}` takes cannot be read: {error!s:.120}",
            remedy="Import what its annotations name, or write a `Skill`",
        ) from None


def _signature(function: Callable[..., Any], called: str) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"what `{called}` takes cannot be read", remedy="Wrap it in a function of your own"
        ) from None


def _wrong(name: str, what: str, known: Mapping[str, object]) -> Exception:
    return InvalidInputError(
        f"{what}: skill `{name}`", remedy=f"It takes: {', '.join(known) or 'nothing'}"
    )
