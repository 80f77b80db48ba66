"""Looks for byte strings in files. Run as a program, in a process of its own.

A process that holds a database connection must not open the database files: closing them again would
drop its locks. So the store starts this file with a bare interpreter. It reads
`[[file, …], [hex, …]]` as JSON from standard input and prints `{"files": n, "bytes": n, "hits": {file: [index, …]}}`.
"""

import json
import mmap
import sys
from pathlib import Path


def scan(paths: list[Path], needles: list[bytes]) -> dict[str, object]:
    """Search every file for every needle."""
    hits: dict[str, list[int]] = {}
    files = size = 0
    for path in paths:
        if not path.is_file() or not path.stat().st_size:
            continue
        files += 1
        size += path.stat().st_size
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            found = [index for index, needle in enumerate(needles) if view.find(needle) >= 0]
        if found:
            hits[path.name] = found
    return {"files": files, "bytes": size, "hits": hits}


if __name__ == "__main__":
    where, wanted = json.load(sys.stdin)
    json.dump(scan([Path(one) for one in where], [bytes.fromhex(one) for one in wanted]), sys.stdout)
