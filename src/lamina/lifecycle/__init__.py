"""Lifecycle: what is promoted, merged, archived or forgotten, each as a plan that can be undone."""

from lamina.lifecycle.plan import Does, Plan, Step

__all__ = ["Does", "Plan", "Step"]
