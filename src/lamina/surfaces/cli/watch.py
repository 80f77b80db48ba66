"""`lamina watch`."""

import select
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import click

from lamina.surfaces.cli import completing
from lamina.surfaces.cli.history import happened
from lamina.surfaces.cli.marks import Grid, Line, Span, grid, line, one_line
from lamina.surfaces.cli.options import Command, scope_options
from lamina.surfaces.cli.session import Session, pass_session
from lamina.surfaces.cli.views import cut

if TYPE_CHECKING:
    from types import FrameType

    from lamina.core.announcements import Announcement
    from lamina.core.changes import Changed
    from lamina.core.record import Record
    from lamina.events import Events
    from lamina.memory import Memory

LOOK_SECONDS: Final = 1.0
"""How long it may take to notice that nobody reads the output any more."""
_ISO: Final = "%Y-%m-%dT%H:%M:%SZ"
_CLOCK: Final = "%Y-%m-%d %H:%M:%S"
_CUT: Final = 100
_NARROW: Final = 80
_STYLES: Final = {"created": "green", "revised": "yellow", "proposed": "cyan", "erased": "red"}


_ALONE: Final = ("after", "from_start", "events", "scope")
"""What says nothing about files."""


@click.command(cls=Command)
@click.option("--after", metavar="CURSOR", help="Go on from there.")
@click.option("--from-start", is_flag=True, help="Begin with the first change there is.")
@click.option("--once", is_flag=True, help="Show what there is and stop.")
@click.option(
    "--timeout", type=float, metavar="SECONDS", help="Stop after so long without a change."
)
@click.option(
    "--events", is_flag=True, help="Show events (memory:write and others) instead of changes."
)
@click.option(
    "--files", is_flag=True, help="Keep the files that people read and the store together."
)
@click.option(
    "--to", metavar="FOLDER", shell_complete=completing.folders,
    help="With --files: where they lie, if not in the store's folder.",
)  # fmt: skip
@scope_options
@pass_session
def watch(session: Session, /, **options: Any) -> None:
    """Follow what changes.

    Shows what happens from now on, by whatever process, each change once and in order; --once
    begins at the start unless --after says where. The end names the cursor that goes on from
    there. With --json, each line is a document with a cursor of its own.
    """
    from lamina.feed import check_timeout

    patience = check_timeout(options["timeout"])
    if options["files"]:
        from lamina.surfaces.cli.sync import watch_files

        _check_alone(options)
        watch_files(session, options["to"], once=options["once"], patience=patience)
        return
    if options["to"] is not None:
        from lamina.errors import InvalidInputError

        raise InvalidInputError("`--to` says where files lie", remedy="Say --files as well")
    command = ["watch", *(["--scope", options["scope"]] if options["scope"] else [])]
    command += ["--events"] if options["events"] else []
    source = _opened(session, options, patience)
    follow(session, source, command, once=options["once"], patience=patience)


def _check_alone(options: dict[str, Any]) -> None:
    from lamina.errors import InvalidInputError

    for name in _ALONE:
        if options[name]:
            raise InvalidInputError(
                f"`--files` cannot go with `--{name.replace('_', '-')}`",
                remedy="With --files only --to, --once and --timeout mean anything",
            )


def follow(
    session: Session,
    source: "Source",
    command: list[str],
    *,
    once: bool = False,
    patience: float | None = None,
) -> None:
    """Show a feed until it, patience or the person ends it; then say how `command` goes on."""
    from lamina.errors import LaminaError

    watcher = _Watcher(source)
    if not once:
        session.out.note("Watching; Ctrl-C ends.")
    try:
        watcher.follow(once=once, patience=patience)
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            sys.stderr.write("\n")
        _say_where(session, command, watcher.cursor)
        raise click.Abort from None
    except LaminaError:
        _say_where(session, command, watcher.cursor)
        raise
    _say_where(session, command, watcher.cursor)


class _Followed(Protocol):
    """What hands out one thing after the other; an iteration that ended can be begun again."""

    @property
    def cursor(self) -> str:
        """The place behind what was handed out."""

    def __iter__(self) -> Iterator[Any]:
        """Hand out what there is, and wait a while for more."""


class Source(NamedTuple):
    """What is followed, and what to do with each entry of it."""

    feed: "_Followed"
    show: Callable[[Any], None]
    place: Callable[[Any], str]
    """The cursor behind an entry that was just handed out."""


class _Watcher:
    """Shows a feed line by line, and knows behind which line it is.

    An interrupt waits until a line that was begun is out: it is then either shown and passed, or
    neither, and going on from the cursor shows nothing twice and leaves nothing out.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self.cursor = source.feed.cursor
        self._showing = False
        self._interrupted = False

    def follow(self, *, once: bool, patience: float | None) -> None:
        """Show every change until the feed, or patience with it, ends."""
        from lamina.clock import stopwatch

        with self._interruptible():
            last = stopwatch()
            while True:
                for change in self._source.feed:
                    self._pass(change)
                    last = stopwatch()
                self.cursor = self._source.feed.cursor
                if once or (patience is not None and stopwatch() - last >= patience):
                    return
                _check_reader()

    def _pass(self, change: "Changed | Announcement") -> None:
        self._showing = True
        self._source.show(change)
        sys.stdout.flush()
        self.cursor = self._source.place(change)
        self._showing = False
        if self._interrupted:
            raise KeyboardInterrupt

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        before = signal.getsignal(signal.SIGINT)
        # Who started this in the background has it ignore interrupts, and so it does.
        if before is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, self._interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _interrupt(self, _: int, __: "FrameType | None") -> None:
        if self._showing and not self._interrupted:
            self._interrupted = True
        else:
            raise KeyboardInterrupt


def _opened(session: Session, options: dict[str, Any], patience: float | None) -> Source:
    memory = session.memory(options["scope"])
    fields: Any = {
        "after": _start(memory, options),
        "scope": options["scope"],
        "follow": not options["once"],
        "timeout": LOOK_SECONDS if patience is None else min(LOOK_SECONDS, patience),
    }
    if not options["events"]:
        shown = _change_shower(session)
        return Source(memory.changes(**fields), shown, lambda change: str(change.cursor))
    events = memory.events(**fields)
    return Source(events, _event_shower(session, events), lambda _: events.cursor)


def _say_where(session: Session, command: list[str], cursor: str) -> None:
    """Say how to go on from here."""
    if not session.out.quiet:
        again = ["lamina", *command, *_globals(session), "--after", cursor]
        sys.stderr.write(f"resume with: {one_line(shlex.join(again))}\n")


def _start(memory: "Memory", options: dict[str, Any]) -> str | None:
    """The cursor to begin behind; nothing means the beginning."""
    from lamina.errors import InvalidInputError

    if options["after"] is not None and options["from_start"]:
        raise InvalidInputError(
            "`--after` and `--from-start` name two beginnings", remedy="Leave one of them out"
        )
    if options["after"] is not None:
        return str(options["after"])
    return None if options["from_start"] or options["once"] else memory.cursor()


def _globals(session: Session) -> Iterator[str]:
    """The options that lead to the same handle again: a cursor is about what that one sees."""
    from lamina.config import without_passwords

    given = {
        "--dir": session.directory and without_passwords(session.directory),
        "--hot": session.hot and without_passwords(session.hot),
        "--project": session.project,
        "--as": session.name,
        "--role": session.role,
    }
    for option, value in given.items():
        if value is not None:
            yield from (option, value)


def _check_reader() -> None:
    """Raise if nobody reads the output: without a change there is no write that would notice."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
    except (OSError, ValueError):
        # Not a stream of the system's.
        return
    if any(state & (select.POLLERR | select.POLLHUP) for _, state in poll.poll(0)):
        raise BrokenPipeError


def _event_shower(session: Session, events: "Events") -> "Callable[[Announcement], None]":
    """What shows an event, in the form the reader asked for."""
    out = session.out
    if out.as_json:
        from lamina.surfaces.wire import announcement_out

        return lambda said: out.json_line(announcement_out(said, events.cursor))
    if out.quiet:
        return lambda said: out.raw(said.name)
    return lambda said: out.show(_event_row(said) if out.width is None else _event_line(said))


def _event_row(said: "Announcement") -> Grid:
    row = (f"{said.at:{_ISO}}", said.actor, said.name, cut(_details(said), _CUT))
    return grid(("time", "actor", "event", "details"), [row])


def _event_line(said: "Announcement") -> Line:
    return line(
        Span(f"{said.at:{_CLOCK}} UTC", "dim"),
        f"  {said.actor} ",
        Span(said.name, "bold"),
        f"  {cut(_details(said), _CUT)}",
    )


def _details(said: "Announcement") -> str:
    from lamina.core.canonical import dumps

    return " ".join(f"{name}={dumps(value)}" for name, value in said.payload().items())


def _change_shower(session: Session) -> "Callable[[Changed], None]":
    """What shows a change, in the form the reader asked for."""
    out = session.out
    if out.as_json:
        from lamina.surfaces.wire import change_out

        return lambda change: out.json_line(change_out(change))
    if out.quiet:
        return lambda change: out.raw(change.event.record)
    if out.width is None:
        return lambda change: out.show(_row(change))
    return lambda change: out.show(*_lines(change, out.width or _NARROW))


def _row(change: "Changed") -> Grid:
    """A change for a program: one line with tabs."""
    event, record = change.event, change.record or change.before
    place = (event.stream, "-") if record is None else (record.scope, record.layer)
    name = record.key if record and record.key else event.record
    said = [part for span in _said(change, _CUT) for part in (span, Span(" "))][:-1]
    row = (
        f"{event.at:{_ISO}}",
        event.actor,
        happened(event, change.record),
        *place,
        name,
        tuple(said),
    )
    return grid(("time", "actor", "action", "scope", "layer", "name", "text"), [row])


def _lines(change: "Changed", width: int) -> Iterator[Line]:
    """A change for a person: what happened, and below it the words."""
    event, record = change.event, change.record or change.before
    place = event.stream if record is None else f"{record.scope} {record.layer}"
    name = record.key if record and record.key else event.record
    yield line(
        Span(f"{event.at:{_CLOCK}} UTC", "dim"),
        f"  {event.actor} ",
        Span(happened(event, change.record), _STYLES.get(event.action.value, "bold")),
        f"  {one_line(place)} ",
        Span(one_line(name), "bold"),
    )
    for span in _said(change, width - 2):
        yield line("  ", span)


def _said(change: "Changed", length: int) -> Iterator[Span]:
    """The words that came and went, shortened."""
    record, before = change.record, change.before
    if change.event.action.value == "witnessed":
        return
    if record is None:
        if change.event.action.value != "erased":
            yield Span("no longer kept", "red")
        return
    if before is not None and before.text == record.text:
        fields = ", ".join(_changed_fields(before, record))
        yield Span(f"changed: {fields}" if fields else cut(record.text, length), "dim")
        return
    if before is not None:
        yield Span(f"- {cut(before.text, length - 2)}", "red")
    yield Span(f"+ {cut(record.text, length - 2)}", "green")


def _changed_fields(before: "Record", record: "Record") -> list[str]:
    from lamina.core.record import content_to_json

    old, new = content_to_json(before), content_to_json(record)
    return [name for name in new if new[name] != old[name]]
