"""A process is killed while it writes files that somebody edits at the same time.

No file is ever torn; the next opening makes up for what was not written; and what the person saved,
in place or by putting a new file there, is in the store or lies aside.
"""

import json
import os
import random
import time
from pathlib import Path

import lamina
from lamina.files import Files
from tests.faults.child import Child
from tests.faults.report import Report, Tell

PAGE = "projects/web/MEMORY.md"
PER_STORE = 10
LATEST = 0.4
STATES = ["current", "proposed", "superseded", "forgotten", "archived"]


def run(size: int, seed: int, folder: Path, tell: Tell) -> Report:
    """Kill `size` times, some times over the same store."""
    report = Report("projections", seed, 0)
    chance = random.Random(f"{seed} projections")
    for number in range(size):
        place = folder / f"store-{number // PER_STORE}"
        wrong = _trial(place, f"s{seed}n{number}", chance)
        report.violations += [f"seed {seed}: kill {number}: {one}" for one in wrong]
        report.trials += 1
        tell(report.trials, size)
    return report


def _trial(place: Path, name: str, chance: random.Random) -> list[str]:
    store, files = place / "store", place / "files"
    files.mkdir(parents=True, exist_ok=True)
    child = Child("projector", str(store), str(files), name)
    child.wait_until_ready()
    saved = _edit(files / PAGE, name, chance)
    written = [line["written"] for line in child.kill() if "written" in line]
    wrong = [f"{path.name} is torn" for path in _shown(files) if _is_torn(path)]
    with lamina.open(store) as mem:
        keeper = Files(mem, files)
        keeper.sync()
        left = [path for path in files.rglob(".*") if ".projected" not in path.parts]
        wrong += [f"{path.name} is left over" for path in left]
        wrong += _missing(mem, files, {*saved, *written})
        before = {path: path.read_bytes() for path in _shown(files)}
        keeper.sync()
        wrong += [f"{path.name} changed" for path in before if path.read_bytes() != before[path]]
        fresh = place / f"fresh-{name}"
        fresh.mkdir()
        Files(mem, fresh).sync()
        again = {path.relative_to(fresh): path.read_bytes() for path in _shown(fresh)}
        wrong += [
            f"{path.name} is not what the store says"
            for path, content in before.items()
            if again.get(path.relative_to(files)) != content
        ]
    return wrong


def _edit(path: Path, name: str, chance: random.Random) -> list[str]:
    """Somebody adds lines to a file and saves it, this way or that."""
    saved: list[str] = []
    end = time.monotonic() + chance.uniform(0.01, LATEST)
    while time.monotonic() < end:
        time.sleep(chance.uniform(0, 0.1))
        if not path.exists():
            continue
        token = f"{name}h{len(saved)}x"
        content = path.read_bytes().rstrip() + f"\n- {token} by hand\n".encode()
        if chance.random() < 0.5:
            path.write_bytes(content)
        else:
            fresh = path.with_name("editor.tmp")
            fresh.write_bytes(content)
            os.replace(fresh, path)
        saved.append(token)
    return saved


def _shown(folder: Path) -> list[Path]:
    """The files that people see."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    hidden = (".projected", "kept")
    return [
        path
        for path in found
        if not any(part in hidden or part.startswith(".") for part in path.parts)
    ]


def _is_torn(path: Path) -> bool:
    content = path.read_bytes()
    if path.name == "editor.tmp":
        return False
    if path.suffix == ".json":
        return not _is_json(content)
    if path.suffix == ".jsonl":
        return not all(_is_json(line) for line in content.splitlines())
    return not content.startswith(b"---\nlamina: ") or not content.endswith(b"\n")


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


def _missing(mem: lamina.Memory, files: Path, wanted: set[str]) -> list[str]:
    """What neither the store nor a copy that was kept aside holds."""
    held = " ".join(
        f"{one.text} {one.key}" for one in mem.query({"state": {"$in": STATES}}, limit=10_000)
    )
    aside = b" ".join(path.read_bytes() for path in (files / "kept").rglob("*") if path.is_file())
    return [f"{one} is lost" for one in wanted if one not in held and one.encode() not in aside]
