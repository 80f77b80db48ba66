"""Ways in: each parses, calls `Memory` and renders."""
