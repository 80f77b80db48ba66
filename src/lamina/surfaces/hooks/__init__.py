"""Hooks of coding harnesses: memory goes in when a session starts, and what was said is kept.

A harness runs `lamina hook EVENT` at points of its own life and hands over JSON. Whatever goes
wrong here, the harness must not notice: it would hold up somebody who only wants to work.
"""
