"""The pure middle of Lamina: values and decisions.

No clock, disk, network, randomness or logging: the same arguments always give the same answer.
"""
