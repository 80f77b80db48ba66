"""A segment's file is whole, or it is refused; whatever happened to it, no process crashes."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lamina.core.bm25 import Statistics
from lamina.core.text import Term
from lamina.errors import IndexDamagedError
from lamina.indexes import file, looking, outlines
from lamina.indexes.file import Array, ArrayFile, Pieces
from lamina.indexes.places import EVERYWHERE
from lamina.indexes.vector_index import Vectors
from lamina.indexes.vectors import VectorBatch, VectorSegment
from lamina.indexes.word_index import WordIndex
from lamina.indexes.words import WordSegment
from tests.indexes.making import SCOPES, a_doc, a_header, only

WORDS = "one two three four five six seven eight nine ten".split()


def words(path: Path) -> None:
    docs = [
        a_doc(rid, " ".join(WORDS[rid % 7 : rid % 7 + 4]), SCOPES[rid % 4]) for rid in range(1, 40)
    ]
    WordSegment.build(path, a_header(), docs, gone=[99])


def vectors(path: Path) -> None:
    made = np.random.default_rng(1).standard_normal((30, 8)).astype("f4")
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    batch = VectorBatch(np.arange(1, 31), [(SCOPES[n % 4], "log") for n in range(30)], made)
    VectorSegment.build(path, a_header("vectors"), [batch], gone=[99])


def vectors_in_outline(path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outlines, "FROM", 10)
        vectors(path)


def ask_words(path: Path) -> None:
    index = WordIndex.of([WordSegment.open(path)])
    terms = [Term("thr", 1.0, expand=True), Term("five", 1.0, expand=False)]
    for sight in (EVERYWHERE, only("project/a")):
        ranking = index.rank(terms, Statistics(39, 4.0), sight)
        ranking.best(10)
        ranking.gains([1, 5, 70])


def ask_outlines(path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(looking, "LOOKED_AT", 5)
        patch.setattr(looking, "EXACT", 4)
        patch.setattr(looking, "COMPARED", 3)
        ask_vectors(path)


def ask_vectors(path: Path) -> None:
    index = Vectors.of([VectorSegment.open(path)])
    query = np.ones(8, "f4") / np.sqrt(8)
    for sight in (EVERYWHERE, only("project/a")):
        index.search(query, 5, sight)
        index.background(query, sight)
    index.cosines(query, [1, 5, 70])


KINDS = pytest.mark.parametrize(
    ("build", "ask"),
    [(words, ask_words), (vectors, ask_vectors), (vectors_in_outline, ask_outlines)],
    ids=["words", "vectors", "outlines"],
)
Build = Callable[[Path], None]


def header_length(path: Path) -> int:
    opened = ArrayFile.open(path)
    return opened.size - sum(-(-array.nbytes // 64) * 64 for array in opened.arrays.values())


def altered(path: Path, at: int, bit: int) -> Path:
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    other = path.with_name("altered")
    other.write_bytes(data)
    return other


@KINDS
def test_every_changed_byte_of_the_header_is_noticed_at_once(
    build: Build, ask: Build, tmp_path: Path
) -> None:
    build(tmp_path / "whole")
    ask(tmp_path / "whole")
    for at in range(header_length(tmp_path / "whole")):
        with pytest.raises(IndexDamagedError):
            ask(altered(tmp_path / "whole", at, at % 8))


@KINDS
def test_every_changed_byte_of_an_array_is_found_and_crashes_nothing(
    build: Build, ask: Build, tmp_path: Path
) -> None:
    build(tmp_path / "whole")
    size = (tmp_path / "whole").stat().st_size
    for at in range(header_length(tmp_path / "whole"), size):
        damaged = altered(tmp_path / "whole", at, 7 - at % 8)
        try:
            ask(damaged)
            with pytest.raises(IndexDamagedError):
                ArrayFile.open(damaged).verify()
        except IndexDamagedError:
            pass


@KINDS
def test_a_cut_or_grown_file_is_refused(build: Build, ask: Build, tmp_path: Path) -> None:
    build(tmp_path / "whole")
    data = (tmp_path / "whole").read_bytes()
    cut = tmp_path / "cut"
    for length in [*range(0, len(data), 61), len(data) - 1]:
        cut.write_bytes(data[:length])
        with pytest.raises(IndexDamagedError):
            ask(cut)
    cut.write_bytes(data + bytes(64))
    with pytest.raises(IndexDamagedError, match="grown"):
        ask(cut)


def test_a_segment_of_another_kind_is_refused(tmp_path: Path) -> None:
    words(tmp_path / "words")
    vectors(tmp_path / "vectors")
    with pytest.raises(IndexDamagedError, match="vectors"):
        VectorSegment.open(tmp_path / "words")
    with pytest.raises(IndexDamagedError, match="words"):
        WordSegment.open(tmp_path / "vectors")


def test_a_file_of_another_format_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words(tmp_path / "now")
    monkeypatch.setattr(file, "FORMAT", file.FORMAT + 1)
    with pytest.raises(IndexDamagedError, match="format"):
        WordSegment.open(tmp_path / "now")


def test_what_was_written_comes_back(tmp_path: Path) -> None:
    arrays: dict[str, Array | Pieces] = {
        "none": np.zeros((0, 3), "f4"),
        "some": np.arange(7, dtype="i8"),
        "parts": Pieces("<u2", (5, 2), (np.full((n, 2), n, "u2") for n in (2, 3))),
    }
    file.write(tmp_path / "file", a_header(lo=3, hi=9), arrays, {"layers": ["é"]})
    opened = ArrayFile.open(tmp_path / "file")
    opened.verify()
    assert opened.header == a_header(lo=3, hi=9)
    assert opened.facts == {"layers": ["é"]}
    assert opened.arrays["none"].shape == (0, 3)
    assert opened.arrays["some"].tolist() == [*range(7)]
    assert opened.arrays["parts"].tolist() == [[2, 2]] * 2 + [[3, 3]] * 3


def test_a_write_that_fails_leaves_the_file_before_and_nothing_else(tmp_path: Path) -> None:
    words(tmp_path / "file")
    before = (tmp_path / "file").read_bytes()
    wrong = {"parts": Pieces("<u2", (5,), [np.zeros(4, "u2")])}
    with pytest.raises(ValueError, match="parts"):
        file.write(tmp_path / "file", a_header(), wrong)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() == before


CHILD = """
import sys
from pathlib import Path
from lamina.core.text import Term
from lamina.core.bm25 import Statistics
from lamina.indexes.word_index import WordIndex
from lamina.indexes.words import WordSegment

index = WordIndex.of([WordSegment.open(Path(sys.argv[1]))])
print("open", flush=True)
for line in sys.stdin:
    found = index.rank([Term(line.strip(), 1.0, expand=False)], Statistics(3, 2.0)).best(9)
    print(sorted(found.rids.tolist()), flush=True)
"""


def test_a_process_keeps_reading_a_file_that_another_replaced_and_deleted(tmp_path: Path) -> None:
    path = tmp_path / "file"
    WordSegment.build(path, a_header(), [a_doc(1, "old thing"), a_doc(2, "old")])
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin
        assert child.stdout

        def ask(word: str) -> str:
            print(word, file=child.stdin, flush=True)
            return child.stdout.readline().strip() if child.stdout else ""

        assert child.stdout.readline() == "open\n"
        assert ask("old") == "[1, 2]"
        WordSegment.build(path, a_header(), [a_doc(3, "new")])
        assert ask("old") == "[1, 2]"
        path.unlink()
        assert ask("old") == "[1, 2]"
        assert ask("new") == "[]"
        child.stdin.close()
    assert child.returncode == 0
