"""Putting memories right: what has to do with one, what became of it, and several at once.

Nothing here writes by a way of its own or sees more than the handle does.
"""
