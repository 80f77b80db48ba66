"""A command with commands of its own, one of which is meant when none is named."""

from typing import Any, Final

import click

from lamina.surfaces.cli.options import Command, global_options

_SAID: Final = (
    "`{path}` alone means `{path} {usual}` and takes its options; `{path} COMMAND --help` tells"
    " them."
)


class Group(click.Group):
    """Commands of one sort, such as those of a layer."""

    command_class = Command

    def __init__(self, *arguments: Any, usual: str, **settings: Any) -> None:
        settings["params"] = [*(settings.get("params") or ()), *global_options(hidden=True)]
        super().__init__(*arguments, **settings)
        self.usual = usual
        """The command that is meant when none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put in the usual command where none is named, but never for a word that is none."""
        place = self._behind_own_options(args)
        rest = args[place:]
        # Whoever asks for completion has not said yet what comes next.
        is_bare = not rest and not ctx.resilient_parsing
        if is_bare or (rest and rest[0].startswith("-") and rest[0] not in ctx.help_option_names):
            args = [*args[:place], self.usual, *rest]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the one that was meant."""
        if args[0] not in self.commands and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = get_close_matches(args[0], self.commands, n=1)
            meant = f"; did you mean `{close[0]}`?" if close else ""
            raise click.UsageError(
                f"`{ctx.command_path}` has no command {args[0]!r:.60}{meant}", ctx
            )
        return super().resolve_command(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Say what the group does by itself."""
        formatter.write_paragraph()
        formatter.write_text(_SAID.format(path=ctx.command_path, usual=self.usual))

    def _behind_own_options(self, args: list[str]) -> int:
        """How many words are options that the group takes itself, and their values."""
        lengths = {
            name: 1 if getattr(option, "is_flag", False) else 2
            for option in self.params
            for name in option.opts
        }
        place = 0
        while place < len(args) and args[place].partition("=")[0] in lengths:
            place += 1 if "=" in args[place] else lengths[args[place]]
        return min(place, len(args))
