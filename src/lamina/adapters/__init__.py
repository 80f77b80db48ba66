"""Lamina as the memory of agent frameworks: each adapter is an extra, and uses `Memory` alone."""
