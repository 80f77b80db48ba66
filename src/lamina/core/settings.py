"""Settings that belong to the store, so that every process on it behaves alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from lamina.core import embedder_spec, retention, timekeeping
from lamina.core.layers import LAYERS
from lamina.errors import InvalidInputError

READS: Final = "events.reads"
EMBEDDER: Final = "recall.embedder"
FLOOR: Final = "recall.floor"
ENGINE: Final = "recall.engine"
LIVE: Final = "files.live"
BUILTIN: Final = "builtin"
LANCE: Final = "lance"
LARGEST_FILE: Final = "index.max_bytes"
_LARGEST_FILE: Final = 8_000_000


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its choices, the first of which is the default, and what it is for."""

    name: str
    choices: tuple[str, ...]
    meaning: str
    form: str = ""
    """What else it can be, in words; nothing else unless it says so."""
    check: Callable[[str], str] | None = None
    """Returns a value of that form as it is to be kept, or says what is wrong with it."""

    @property
    def default(self) -> str:
        """What holds while nobody has chosen."""
        return self.choices[0]

    @property
    def possible(self) -> str:
        """Everything that it can be, for people."""
        return ", ".join(self.choices) + (f", or {self.form}" if self.form else "")


def _history(layer: str) -> Setting:
    name = retention.HISTORY + layer
    choices = (retention.declared(LAYERS[layer]), retention.ALL, retention.NONE)
    return Setting(
        name, tuple(dict.fromkeys(choices)),
        f"how many earlier versions stay in the layer `{layer}`, and for how long",
        retention.FORM, partial(retention.check_keep, name),
    )  # fmt: skip


def _check_floor(value: str) -> str:
    try:
        floor = float(value)
    except ValueError:
        floor = -1.0
    if not 0 <= floor <= 1:
        raise InvalidInputError(
            f"`{FLOOR}` cannot be {value!r:.40}", remedy="Use auto, off, or a number from 0 to 1"
        )
    return f"{floor:g}"


def _check_bytes(value: str) -> str:
    if value.isascii() and value.isdigit() and 1 <= int(value[:12]) <= _LARGEST_FILE:
        return str(int(value))
    raise InvalidInputError(
        f"`{LARGEST_FILE}` cannot be {value!r:.40}",
        remedy=f"Use a number of bytes from 1 to {_LARGEST_FILE:,}",
    )


SETTINGS: Final = {
    setting.name: setting
    for setting in (
        Setting("knowledge.accept", ("auto", "review"),
                "whether an agent's project knowledge counts at once or waits for review"),
        Setting("knowledge.ties", ("newest", "review"),
                "who wins when two agents disagree with equal trust and confidence"),
        Setting("secrets.seal", ("on", "off"),
                "whether credentials are sealed before anything is stored"),
        Setting(READS, ("off", "on"),
                "whether reads and searches are announced as events, as writes always are"),
        Setting(EMBEDDER, (embedder_spec.DEFAULT, "static", "minilm", embedder_spec.OFF),
                "what makes the vectors that recall compares by meaning",
                embedder_spec.FORM, embedder_spec.check_spec),
        Setting(FLOOR, ("auto", "off"),
                "how likely a record must be what was asked for, or recall leaves it out",
                "a number from 0 to 1", _check_floor),
        Setting(ENGINE, (BUILTIN, LANCE),
                "what finds the nearest vectors of a large project"),
        Setting(LIVE, ("off", "on"),
                "whether the files that people read follow the store by themselves"),
        Setting(timekeeping.ACCEPT, (timekeeping.NOBODY,),
                "an instant vouched for, when the clock is years ahead of the newest change",
                "an instant as 2036-01-31T12:00:00Z", timekeeping.check_accepted),
        Setting(retention.RECEIPTS, ("30d", retention.ALL),
                "how long a repeated idempotency key is recognised at least",
                "a span as 7d", retention.check_receipts),
        Setting(LARGEST_FILE, ("1000000",),
                "how large a file may be to be indexed", "a number of bytes", _check_bytes),
        *(_history(layer) for layer in LAYERS),
    )
}  # fmt: skip


def setting_named(name: str) -> Setting:
    """The setting called `name`, or an error that lists them."""
    if name not in SETTINGS:
        raise InvalidInputError(
            f"`{name:.60}` is not a setting", remedy=f"Use one of: {', '.join(SETTINGS)}"
        )
    return SETTINGS[name]


def check_setting(name: str, value: str) -> str:
    """Return `value` if the setting takes it."""
    setting = setting_named(name)
    if value in setting.choices:
        return value
    if setting.check is None or not isinstance(value, str):
        raise InvalidInputError(
            f"`{name}` cannot be {value!r:.40}", remedy=f"Use one of: {setting.possible}"
        )
    return setting.check(value)


def in_force(chosen: Mapping[str, str], name: str) -> str:
    """The value of one setting that holds."""
    return chosen.get(name, SETTINGS[name].default)


def effective(chosen: Mapping[str, str]) -> dict[str, str]:
    """Every setting with the value that holds."""
    return {name: chosen.get(name, setting.default) for name, setting in SETTINGS.items()}
