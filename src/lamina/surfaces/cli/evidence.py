"""What a proposal of a model rests on, in a line for whoever reviews it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lamina.core.record import Record


def evidence(record: "Record") -> str:
    """The words it was read in, where these stand, and which model read them; or nothing."""
    from lamina.proposing import PROPOSED

    told = record.data.get(PROPOSED)
    if not isinstance(told, dict):
        return ""
    cited = told.get("from")
    where = f" in {', '.join(map(str, cited))}" if isinstance(cited, list) and cited else ""
    return f"{told.get('by', 'a model')} read {str(told.get('quote', ''))!r}{where}"
