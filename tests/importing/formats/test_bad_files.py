"""Files that are torn, foreign or hostile: what is good in them comes in, and the rest is named."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from lamina import Memory
from lamina.errors import InvalidInputError
from lamina.importing import Brought, Fate, bring
from lamina.importing.formats import chatgpt as chatgpt_format
from lamina.importing.formats import claude as claude_format
from lamina.importing.formats import json_values, opened
from lamina.importing.formats.items import Found, Item, Left, Place, instant_of, text_of
from tests.importing.formats.samples import BREAD, TRIP, chatgpt, node, written
from tests.places import plain as plain

TEA, MILK = {"id": "1", "memory": "Tea is green"}, {"id": "2", "memory": "Milk is white"}
ONE, TWO = json.dumps(TEA), json.dumps(MILK)
IMAGE = {"parts": [{"content_type": "image_asset_pointer"}, "see"]}
DEEP = '{"id": "3", "memory": "x", "metadata": ' + '{"a":' * 5000 + "1" + "}" * 5001


def told(report: Brought) -> tuple[int, int]:
    return report.count(Fate.ADDED), report.count(Fate.FAILED)


@pytest.mark.parametrize(
    ("content", "good", "bad"),
    [
        (f"[{ONE}, {TWO}", 2, 0),
        (f'[{ONE}, {{"id": "3", "memory": "cut of', 1, 1),
        (f'[{ONE}, {{"id": "3", "memory": "torn"x}}, {TWO}]', 2, 1),
        (f'{ONE}\n{{"id": "3", "mem\n{TWO}\n', 2, 1),
        (f"{ONE}\nnonsense\n{TWO}\n", 2, 1),
        (f"{ONE}\n\x00\n{TWO}\n", 2, 1),
        (f"{ONE}\n{DEEP}\n{TWO}\n", 2, 1),
        (f'[{ONE}, {{"id": "3", "memory": "n", "n": {"9" * 5000}}}, {TWO}]', 2, 1),
        (f"[{ONE}, 7, null, [1], {TWO}]", 2, 3),
        (f"\ufeff[{ONE}, {TWO}]", 2, 0),
        (f"[{ONE}, {TWO}]".encode("utf-16"), 2, 0),
        (f"[{ONE}, {TWO}]".encode("utf-16") + b"\n", 2, 0),
        (f'[{ONE}, {{"id": "3"}}, {{"id": "4", "memory": "  "}}]', 1, 2),
        (f'[{ONE}, {{"id": "3", "memory": "{"x" * 10_000_000}"}}, {TWO}]', 2, 1),
        (json.dumps([TEA, MILK], indent=2).replace('"2"', "2x"), 1, 1),
        (f'{{"next": null, "results": [{ONE},{TWO}], "total": 2}}', 2, 0),
    ],
    ids=range(16),
)
def test_the_good_comes_in_and_the_bad_is_named(
    plain: Memory, tmp_path: Path, content: str | bytes, good: int, bad: int
) -> None:
    report = bring(plain, written(tmp_path, "mem0.json", content))
    assert (report.format, *told(report)) == ("mem0", good, bad), report
    assert len(report.problems) == bad
    assert all(one.note and one.place.line for one in report.problems)


def test_the_place_is_told(plain: Memory, tmp_path: Path) -> None:
    [problem] = bring(plain, written(tmp_path, "a", f"{ONE}\n\n{{x}}\n{TWO}\n")).problems
    assert (problem.place.line, problem.place.item) == (3, 2)


def test_texts_are_repaired(plain: Memory, tmp_path: Path) -> None:
    raw = b'[{"id": "1", "memory": "caf\xe9 \\u0000au lait \\ud800!", "metadata": {"n": NaN}}]'
    bring(plain, written(tmp_path, "a", raw))
    assert [one.text for one in plain.query()] == ["café au lait \ufffd!"]


@pytest.mark.parametrize(
    ("conversation", "texts", "bad"),
    [
        (chatgpt(node("a", "user", "1", "b"), node("b", "user", "2", "a")), ["1", "2"], 1),
        (chatgpt(node("a", "user", "1", "a")), ["1"], 1),
        (chatgpt(node("a", "user", "1", "gone")), ["1"], 1),
        (chatgpt(node("a", "user", "1", "root"), current_node="gone"), ["1"], 0),
        (chatgpt(node("a", "user", "1", "root"), mapping={"a": 7, "b": None}), [], 0),
        (chatgpt(), [], 0),
        (chatgpt(node("a", "system", "1", "root")), [], 0),
        (chatgpt(node("a", "user", {"content_type": "code", "text": "x"}, "root")), ["x"], 0),
        (chatgpt(node("a", "user", IMAGE, "root")), ["[image]\n\nsee"], 0),
        (chatgpt(node("a", "user", {"content_type": {}, "text": "x"}, "root")), ["x"], 0),
        (chatgpt(node("a", "assistant", "1", "root", recipient="python")), ["1"], 0),
        ({**TRIP, "chat_messages": [7, {"sender": "nobody"}]}, [], 2),
        ({**TRIP, "chat_messages": [{"sender": "human", "text": "hi"}] * 2}, ["hi", "hi"], 0),
        ({**TRIP, "chat_messages": [{"sender": "human", "text": "a", "uuid": "m"}] * 2}, ["a"], 1),
        ({**TRIP, "uuid": None}, [], 1),
    ],
)  # fmt: skip
def test_odd_conversations(conversation: dict[str, Any], texts: list[str], bad: int) -> None:
    reader = chatgpt_format if "mapping" in conversation else claude_format
    found = list(reader.items([Found(Place(1, 1), conversation)]))
    assert sorted(one.text for one in found if isinstance(one, Item)) == texts
    assert sum(isinstance(one, Left) and one.bad for one in found) == bad


def _archive(way: int = zipfile.ZIP_DEFLATED, /, **entries: bytes) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", way) as archive:
        for name, content in entries.items():
            archive.writestr(f"{name}.json", content)
    return raw.getvalue()


def test_a_bomb_is_not_read_to_its_end(
    plain: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "_HARMLESS", 2 << 20)
    good = json.dumps(BREAD).encode()
    bomb = _archive(conversations=b"[" + good + b"," + b" " * 8_000_000 + good + b"]")
    report = bring(plain, written(tmp_path, "a.zip", bomb))
    assert told(report) == (2, 1)
    assert "times as large" in report.problems[0].note


def test_an_archive_of_very_many_files_is_not_held_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = {f"conversations-{number}": b"[" + b" " * 100_000 for number in range(20)}
    monkeypatch.setattr(opened, "_HEADS", 1 << 17)
    with opened.opened(str(written(tmp_path, "a.zip", _archive(**many)))) as streams:
        assert sum(len(one.head) for one in streams) <= 1 << 17
        assert {len(one.stream().read()) for one in streams} == {100_001}
    monkeypatch.setattr(opened, "_MOST_PARTS", 19)
    with (
        pytest.raises(InvalidInputError, match="20 files of conversations"),
        opened.opened(str(tmp_path / "a.zip")),
    ):
        pass


def test_a_damaged_archive_is_told(plain: Memory, tmp_path: Path) -> None:
    for bad in (b"PK\x03\x04nonsense", _archive(other=b"[]"), _archive(conversations=b"")[:-30]):
        with pytest.raises(InvalidInputError, match="archive"):
            bring(plain, written(tmp_path, "a.zip", bad))
    raw = bytearray(_archive(conversations=json.dumps([BREAD, TRIP]).encode()))
    raw[60] ^= 0xFF
    with pytest.raises(InvalidInputError, match="archive"):
        bring(plain, written(tmp_path, "a.zip", bytes(raw)))
    assert plain.count() == 0


def test_whatever_is_damaged_in_an_archive_is_told(plain: Memory, tmp_path: Path) -> None:
    good = json.dumps([BREAD, TRIP]).encode()
    squeezed = bytearray(_archive(zipfile.ZIP_LZMA, conversations=good))
    squeezed[90] ^= 0xFF
    # Where the only entry begins, as the directory at the end says it.
    misplaced = bytearray(_archive(conversations=good))
    begins = misplaced.rindex(b"PK\x01\x02") + 42
    misplaced[begins : begins + 4] = b"\xf0\xff\xff\xff"
    for bad in (squeezed, misplaced):
        with pytest.raises(InvalidInputError, match="archive"):
            bring(plain, written(tmp_path, "a.zip", bytes(bad)))


@pytest.mark.parametrize(
    ("content", "good", "bad"),
    [
        ("text\nonly one column\n", 1, 0),
        ('text,n\n"a ""quoted"" word",1\nplain,2\n', 2, 0),
        ("text\tn\nx\t1\n", 1, 0),
        ("\ufefftext;n\r\nx;1\r\n\r\ny;2\r\n", 2, 0),
        ('text,n\n"never closed,1\nx,2\n', 1, 0),
        ("text,n\na\0b,1\n", 1, 0),
        ("text,n\n,1\nx,1,2,3\ny\n", 1, 2),
        ("text,text\na,b\n", 1, 0),
    ],
)
def test_odd_tables(plain: Memory, tmp_path: Path, content: str, good: int, bad: int) -> None:
    report = bring(plain, written(tmp_path, "t.csv", content))
    assert (report.format, *told(report)) == ("csv", good, bad), report


def test_what_is_nothing_of_all_this_is_refused(plain: Memory, tmp_path: Path) -> None:
    for content in ("just text\n", b"\x89PNG\r\n\x1a\n", "<html></html>"):
        with pytest.raises(InvalidInputError) as caught:
            bring(plain, written(tmp_path, "a", content))
        assert "--format" in caught.value.remedy
    with pytest.raises(InvalidInputError, match="cannot be read"):
        bring(plain, tmp_path / "missing")
    with pytest.raises(InvalidInputError, match="format"):
        bring(plain, written(tmp_path, "a", "[]"), format="nonsense")


def test_values_larger_than_what_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "_CHUNK", 7)
    values = [{"memory": "x" * n, "list": [n, '\\"]},{', None]} for n in range(40)]
    for text in (
        json.dumps(values),
        json.dumps(values, indent=1),
        "\n".join(map(json.dumps, values)),
    ):
        found = json_values.values(io.StringIO(text), lambda value: "memory" in value)
        assert [one.value for one in found if isinstance(one, Found)] == values


@pytest.mark.parametrize(
    ("value", "year"),
    [("2024-05-01", 2024), ("2024-05-01T10:00:00+02:00", 2024), (1_700_000_000, 2023),
     (1_700_000_000_123, 2023), ("1700000000.5", 2023), (0, None), (-5, None), ("soon", None),
     (float("nan"), None), (10**400, None), (True, None), (None, None), ([], None),
     ("9" * 30, None), ("0001-01-01T00:00:00+14:00", None)],
)  # fmt: skip
def test_times(value: object, year: int | None) -> None:
    found = instant_of(value)
    assert (found and found.year) == year


def test_text_is_made_fit() -> None:
    assert text_of("a\0b \ud800") == "ab \ufffd"
    assert text_of(7) == ""
