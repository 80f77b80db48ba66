"""Looking over what the log vouches for, in any database, and setting right what follows from it.

The checks do not ask an index where they can do without: one of them may be what is damaged.
"""
