"""Text into vectors: one protocol, one model of our own, and ways to others."""
