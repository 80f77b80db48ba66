"""The options that `recall` and `why-not` share, so that the one can explain the other."""

from typing import Any, Final

import click

from lamina.surfaces.cli.options import F, as_of_option, layer_option, read_json, scope_options

_HOW: Final = ("k", "now", "floor", "diversity", "budget")


def recall_options(command: F) -> F:
    """Everything that a recall may be told beside what it looks for."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def asked(options: dict[str, Any]) -> dict[str, Any]:
    """The options as the library takes them; what was not given is left to the store."""
    given = {name: options[name] for name in _HOW if options[name] is not None}
    return {
        "layers": list(options["layers"]) or None,
        "where": None if options["where"] is None else read_json(options["where"], "--where"),
        "scope": options["scope"],
        "as_of": options["as_of"],
        **given,
    }


_OPTIONS: Final = (
    click.option(
        "-k", type=int, metavar="N",
        help="So many, if there are; else at most 10, and none that are hardly likely.",
    ),
    layer_option("layers", multiple=True, help="Search this layer."),
    click.option("--where", metavar="JSON", help="Only what matches this filter."),
    click.option(
        "--floor", type=float, metavar="0..1",
        help="How likely a memory must be what is meant; the setting recall.floor unless given.",
    ),
    click.option(
        "--now", metavar="WHEN",
        help="What `yesterday` is reckoned from: a day, an instant, or a span ago as 7d.",
    ),
    click.option(
        "--diversity", type=float, metavar="0..1",
        help="0 for the best first, more for the best that differ.",
    ),
    click.option(
        "--budget", type=int, metavar="TOKENS", help="Only as much as fits into so many tokens."
    ),
    as_of_option,
    scope_options,
)  # fmt: skip
