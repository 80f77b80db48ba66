"""A person and an agent at work on the same memory."""

from collections.abc import Callable
from pathlib import Path

from lamina import Memory
from lamina.files import Files, SyncReport

WEB = "projects/web/MEMORY.md"
NOW = "projects/web/agents/finn/NOW.md"
TASKS = "projects/web/tasks.json"


class Desk:
    """The store, the folder, and both who use them."""

    def __init__(self, mem: Memory, root: Path) -> None:
        root.mkdir(exist_ok=True)
        self.mem = mem
        self.root = root
        self.web = mem.project("web")
        self.finn = mem.agent("finn", project="web")
        self.files = Files(mem, root)
        # Nobody else writes these files, so nobody is waited for.
        self.files.patience = 0

    def sync(self) -> SyncReport:
        """Bring both together."""
        return self.files.sync()

    def read(self, file: str = WEB) -> str:
        """What a file says."""
        return (self.root / file).read_bytes().decode()

    def edit(self, change: Callable[[str], str], file: str = WEB) -> None:
        """Somebody changes a file and saves it."""
        path = self.root / file
        before = path.read_bytes().decode()
        after = change(before)
        assert after != before
        path.write_bytes(after.encode())

    def texts(self) -> list[str]:
        """What the project knows."""
        return sorted(record.text for record in self.web.knowledge.query(limit=1_000))

    def snapshot(self) -> dict[str, bytes]:
        """Every file that people see."""
        hidden = {".projected", "kept"}
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and not hidden & set(path.relative_to(self.root).parts)
        }
