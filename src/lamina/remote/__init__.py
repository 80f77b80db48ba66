"""A store at the other end of a wire: `lamina.connect`, with the same `Memory` on top."""
