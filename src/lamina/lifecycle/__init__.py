"""Lifecycle: what is promoted, merged, archived or forgotten, each as a plan that can be undone."""

from typing import TYPE_CHECKING

from lamina.core.lazy import loading

if TYPE_CHECKING:
    from lamina.lifecycle.plan import Does, Plan, Step

__all__ = ["Does", "Plan", "Step"]

__getattr__ = loading(__name__, {"lamina.lifecycle.plan": ("Does", "Plan", "Step")})
