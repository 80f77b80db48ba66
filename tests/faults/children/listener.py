"""Follow the feed: `python -m tests.faults.children.listener FOLDER SECONDS [CURSOR]`.

It says every change with the cursor behind it, and ends when nothing happens for so many seconds.
"""

import sys

import lamina
from tests.faults.children.work import say


def main() -> None:
    """Say each change as soon as it is heard."""
    folder, patience, *cursor = sys.argv[1:]
    with lamina.open(folder) as mem:
        say({"ready": True})
        after = cursor[0] if cursor else None
        for change in mem.changes(after, follow=True, timeout=float(patience)):
            event = change.event
            text = change.record.text if change.record else None
            say({"stream": event.stream, "seq": event.seq, "cursor": change.cursor, "text": text})


if __name__ == "__main__":
    main()
