"""Gathers training texts and natural pairs from openly licensed material on disk."""
