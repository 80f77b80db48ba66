"""The layers as a user speaks of them: each a face of a few verbs over one engine.

A face belongs to a handle and adds nothing of its own to what may be seen and done: it knows the
layer's name, where its records belong, and the words of the designs.
"""
