"""Derived indexes: immutable, memory-mapped segments that make recall fast in large streams.

Everything here can be thrown away and built again: the truth is in the store. Nothing here knows
about databases, records or texts, only numbers of records, places, tokens and vectors.
"""
