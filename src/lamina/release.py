"""Which release of Lamina this is."""


def version() -> str:
    """The version that is installed; empty in a source tree that never was."""
    # Slow to import, and nobody asks at every start.
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("lamina")
    except PackageNotFoundError:
        return ""
