"""What other tools write, read as items: one small module for each format.

Each reads a stream from its beginning and hands out what it holds one by one, so that a file may be
larger than memory. None of them knows a store: `lamina.importing.bringing` writes.
"""
