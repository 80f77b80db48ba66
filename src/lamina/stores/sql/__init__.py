"""What every store in a SQL database does alike, in SQL that all of them understand.

A connection brings a dialect along, for the little that each database spells in its own way.
"""
