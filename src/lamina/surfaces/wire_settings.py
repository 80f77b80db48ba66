"""The JSON shape of a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.core.settings import variable

if TYPE_CHECKING:
    from lamina.core.settings import Setting


def setting_out(setting: Setting, value: str) -> dict[str, Any]:
    """A setting, what holds, and what else it could be."""
    return {
        "name": setting.name,
        "value": value,
        "default": setting.default,
        "choices": list(setting.choices),
        "form": setting.form,
        "meaning": setting.meaning,
        "variable": variable(setting.name) if setting.per_process else None,
    }
