"""Models that answer in words: what one must be, and those that are asked over HTTP."""
