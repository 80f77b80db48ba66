"""Agents at work: the loop around a model, the tools it may call, and graphs of tasks."""
