"""What went wrong, in words that can be kept, whatever the error is."""

from typing import Final

from lamina.core.canonical import keepable
from lamina.core.text.cut import tail_of

_MOST_TRACE: Final = 8_000


def words_of(error: BaseException) -> str:
    """What an error says; nothing, where it cannot even say that."""
    try:
        return keepable(str(error))
    except Exception:  # the code of the error, which may be anything
        return ""


def named(error: BaseException) -> str:
    """The type of an error, and what it says."""
    words, name = words_of(error), type(error).__name__
    return f"{name}: {words}" if words.strip() else name


def trace(error: BaseException, most: int = _MOST_TRACE) -> str:
    """Where it happened, for those who can mend it: the end of it, where it is long."""
    # Imported here: most processes never need it.
    import traceback

    try:
        lines = "".join(traceback.format_exception(error))
    except Exception:  # as above
        lines = "".join(traceback.format_tb(error.__traceback__))
    return keepable(tail_of(lines, most))
