"""Settings that belong to the store, so that every process on it behaves alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lamina.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its choices, the first of which is the default, and what it is for."""

    name: str
    choices: tuple[str, ...]
    meaning: str

    @property
    def default(self) -> str:
        """What holds while nobody has chosen."""
        return self.choices[0]


SETTINGS: Final = {
    setting.name: setting
    for setting in (
        Setting("knowledge.accept", ("auto", "review"),
                "whether an agent's project knowledge counts at once or waits for review"),
        Setting("knowledge.ties", ("newest", "review"),
                "who wins when two agents disagree with equal trust and confidence"),
        Setting("secrets.seal", ("on", "off"),
                "whether credentials are sealed before anything is stored"),
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
    if value not in setting.choices:
        raise InvalidInputError(
            f"`{name}` cannot be {value!r:.40}", remedy=f"Use one of: {', '.join(setting.choices)}"
        )
    return value


def effective(chosen: Mapping[str, str]) -> dict[str, str]:
    """Every setting with the value that holds."""
    return {name: chosen.get(name, setting.default) for name, setting in SETTINGS.items()}
