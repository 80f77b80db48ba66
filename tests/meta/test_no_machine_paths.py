"""No file tells whose machine it was written on, or where its packages came from."""

import re
from pathlib import Path

from tests.meta.tree import project_files, relative

TEXT = {
    "", ".cfg", ".css", ".html", ".in", ".ini", ".js", ".json", ".jsonl", ".lock", ".md", ".py",
    ".sh", ".sql", ".svg", ".toml", ".ts", ".tsx", ".txt", ".typed", ".yaml", ".yml",
}  # fmt: skip

# A home or work folder at the start of a path; `~/notes` and `docs/home/x` are fine.
MACHINE_PATH = re.compile(r"(?<![\w.:/~)}>-])/(?:home|opt|root|work|Users)/[\w.-]+")
PACKAGE_INDEX = re.compile(
    r"(?<!emit-)\b(?:extra-)?index[-_]url\b|find[-_]links|PIP_INDEX|UV_(?:DEFAULT_)?INDEX"
    r"|://\S+/simple\b|://files\.pythonhosted"
)


def test_the_patterns_see_what_they_should() -> None:
    slash = "/"
    assert MACHINE_PATH.search(f'open("{slash}home/ann/notes.md")')
    assert MACHINE_PATH.search(f"cd {slash}work/main")
    assert not MACHINE_PATH.search("see docs/home/page.md and ~/" + "work/notes")
    assert PACKAGE_INDEX.search("https:" + "//example.org/pypi/simple")
    assert PACKAGE_INDEX.search("--extra-" + "index-url")
    assert not PACKAGE_INDEX.search("--no-emit-index-url")


def _offences(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [
        f"{relative(path)}:{number}: {line.strip()[:100]}"
        for number, line in enumerate(lines, start=1)
        if MACHINE_PATH.search(line) or PACKAGE_INDEX.search(line)
    ]


def test_no_file_names_a_machine_or_an_index() -> None:
    files = [path for path in project_files() if path.suffix in TEXT]
    assert len(files) > 1000, "most of the project is out of sight"
    itself = Path(__file__).resolve()
    assert [line for path in files if path != itself for line in _offences(path)] == []
