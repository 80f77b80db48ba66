"""What a caller says, checked and given its defaults: the first step of every write."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypedDict

from lamina.core import canonical
from lamina.core.access import may_name_source
from lamina.core.instants import after, check_instant
from lamina.core.layers import check_kind_of, layer_named
from lamina.core.names import check_key, check_kind, check_name, check_tags
from lamina.core.options import check_options
from lamina.core.principal import Principal
from lamina.core.record import Content, Trust
from lamina.core.text import estimate_tokens
from lamina.errors import ForbiddenError, InvalidInputError

Via = Literal["user", "system", "agent", "tool", "web", "file"]

DEFAULT_LAYER: Final = "knowledge"
_IMPORTANCE: Final = {
    "reasoning": 0.5, "tool_output": 0.7, "decision": 0.9, "convention": 0.8, "failure": 0.85,
    "preference": 0.9, "pattern": 0.7,
}  # fmt: skip
"""How much a kind matters unless the caller says otherwise; anything else starts in the middle."""


class ContentFields(TypedDict, total=False):
    """What may be said about a memory besides its text."""

    kind: str
    tags: list[str] | tuple[str, ...]
    data: dict[str, Any]
    importance: float
    confidence: float
    expires: str | datetime | timedelta | None
    """An instant, or a span from now such as `7d`."""
    valid_from: datetime | str | None
    via: Via
    """Where it really comes from, when that is less trusted than the speaker."""
    source: str
    """Who said it; only an orchestrator or admin may name another."""


class DraftFields(ContentFields, total=False):
    """What may be said when something is remembered."""

    layer: str
    scope: str
    key: str | None
    expect: int | None
    """The revision the writer saw; 0 says that the key must be new."""


class Draft(DraftFields, total=False):
    """One memory of several that are remembered together."""

    text: str


def check_drafts(drafts: object) -> Iterator[Draft]:
    """Go through memories that are remembered together, and refuse what is none."""
    if not isinstance(drafts, Iterable):
        raise _no_drafts(drafts)
    for draft in drafts:
        check_fields(draft, Draft)
        yield draft


def check_fields(fields: object, allowed: type) -> None:
    """Refuse what has no fields, and a field that nobody would read."""
    if not isinstance(fields, Mapping):
        raise _no_drafts(fields)
    check_options(fields, allowed, "something a memory has")


def _no_drafts(found: object) -> InvalidInputError:
    return InvalidInputError(
        f"`drafts` must be objects with the fields of a memory, not {type(found).__name__}",
        remedy='Write [{"text": "what to remember"}]',
    )


def new_content(text: str, fields: ContentFields, layer_name: str, speaker: Principal) -> Content:
    """The content of a new record."""
    layer = layer_named(layer_name)
    kind = check_kind(fields.get("kind", layer.kinds[0]))
    start = Content(
        kind=check_kind_of(layer, kind),
        importance=_IMPORTANCE.get(kind, 0.5),
        trust=speaker.trust,
        source=speaker.name,
    )
    return _filled(start, {**fields, "text": text}, speaker)


def revised_content(
    current: Content, fields: dict[str, Any], layer_name: str, speaker: Principal
) -> Content:
    """The content of the next version: what is not named stays; the speaker is the new source."""
    layer = layer_named(layer_name)
    start = Content(
        kind=check_kind_of(layer, check_kind(fields.get("kind", current.kind))),
        text=current.text,
        data=current.data,
        tags=current.tags,
        importance=current.importance,
        confidence=current.confidence,
        trust=speaker.trust,
        source=speaker.name,
        valid_from=current.valid_from,
        expires_at=current.expires_at,
        supersedes=current.supersedes,
    )
    revised = _filled(start, fields, speaker)
    if revised.text == current.text and revised.data == current.data:
        # Whoever only files it differently has not said it, and adds nothing to its trust.
        return replace(
            revised, source=current.source, trust=Trust.lowest(current.trust, revised.trust)
        )
    return revised


def expiry(
    value: str | datetime | timedelta | None, now: datetime, argument: str = "expires"
) -> datetime | None:
    """The instant at which a memory runs out: given, or so long from now."""
    if value is None:
        return None
    if isinstance(value, timedelta):
        try:
            return now + value
        except OverflowError:
            raise InvalidInputError(f"`{argument}` is outside the years 1 to 9999") from None
    if isinstance(value, str) and value[-1:].isalpha() and value[-1:] != "Z":
        return after(now, value, argument)
    return check_instant(value, argument, or_span=True)


def check_scope_key(key: object) -> str | None:
    """A key, or none."""
    return None if key is None else check_key(key)


def check_rev(expect: object) -> int | None:
    """The revision that is expected, if any is."""
    if expect is None or (type(expect) is int and 0 <= expect <= canonical.MAX_INTEGER):
        return expect
    raise InvalidInputError(f"`expect` must be a revision number, not {expect!r:.40}")


def _filled(start: Content, fields: dict[str, Any], speaker: Principal) -> Content:
    text = canonical.check_text(fields.get("text", start.text), "text")
    data = fields.get("data", start.data)
    if not isinstance(data, dict):
        raise InvalidInputError("`data` must be an object", remedy='Write data={"name": value}')
    valid_from = fields.get("valid_from", start.valid_from)
    return Content(
        kind=start.kind,
        text=text,
        data=canonical.check(data, "data"),
        tags=check_tags(fields.get("tags", start.tags)),
        importance=check_share(fields.get("importance", start.importance), "importance"),
        confidence=check_share(fields.get("confidence", start.confidence), "confidence"),
        trust=_trust(fields.get("via"), speaker),
        source=_source(fields.get("source"), speaker),
        tokens=estimate_tokens(text),
        valid_from=None if valid_from is None else check_instant(valid_from, "valid_from"),
        expires_at=start.expires_at,
        supersedes=start.supersedes,
    )


def check_share(value: object, argument: str) -> float:
    """Return a number from 0 to 1."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        # Adding zero takes the sign off a negative one.
        return float(value) + 0.0
    raise InvalidInputError(f"`{argument}` must be a number from 0 to 1, not {value!r:.40}")


def _trust(via: object, speaker: Principal) -> Trust:
    if via is None:
        return speaker.trust
    try:
        return Trust.lowest(speaker.trust, Trust(str(via)))
    except ValueError:
        raise InvalidInputError(
            f"`via` is not a sort of source: {via!r:.40}", remedy=f"Use one of: {', '.join(Trust)}"
        ) from None


def _source(source: object, speaker: Principal) -> str:
    if source is None or source == speaker.name:
        return speaker.name
    if not may_name_source(speaker):
        raise ForbiddenError(
            f"{speaker.role.value} `{speaker.name}` may not speak for another source",
            remedy="Leave `source` out, or ask an orchestrator or admin",
        )
    return check_name(source, "source")
