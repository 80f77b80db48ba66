"""Markdown is cut by heading."""

from lamina.sources.chunks import MOST, Chunk
from lamina.sources.cutting import cut_text
from tests.sources.samples import assert_whole

PROSE = "This sentence is here to make the section long enough to stand on its own, and it does."


def _cut(text: str) -> list[Chunk]:
    chunks = cut_text(text, "markdown")
    assert_whole(text, chunks)
    return chunks


def _names(text: str) -> list[str]:
    return [chunk.name for chunk in _cut(text)]


def test_a_section_knows_the_headings_above_it() -> None:
    text = (
        f"# Guide\n\n{PROSE}\n{PROSE}\n\n## Install\n\n{PROSE}\n{PROSE}\n\n### Linux\n\n{PROSE}\n"
        f"{PROSE}\n\n## Use ##\n\n{PROSE}\n{PROSE}\n"
    )
    assert _names(text) == ["Guide", "Guide > Install", "Guide > Install > Linux", "Guide > Use"]
    install = _cut(text)[1]
    assert (install.first, install.last) == (6, 9)
    assert install.text.startswith("## Install\n\nThis")


def test_underlined_headings_count() -> None:
    text = (
        f"The Title\n=========\n\n{PROSE}\n{PROSE}\n\nA long heading\nover two lines\n---\n\n"
        f"{PROSE}\n{PROSE}\n\n- an item\n---\n\n{PROSE}\n"
    )
    assert _names(text) == ["The Title", "The Title > A long heading over two lines"]


def test_what_stands_in_a_fence_is_no_heading() -> None:
    text = (
        f"# Real\n\n{PROSE}\n{PROSE}\n\n```sh\n# not a heading\n```\n\n~~~~\n# nor this\n~~~\n# or"
        f" this\n~~~~\n\n# Next\n\n{PROSE}\n{PROSE}\n"
    )
    assert _names(text) == ["Real", "Next"]


def test_a_fence_is_not_torn_apart() -> None:
    code = "\n\n".join(f"line_{n} = compute({n})" for n in range(120))
    text = f"# Code\n\n{PROSE}\n\n```python\n{code}\n```\n\n{PROSE}\n"
    chunks = _cut(text)
    [fenced] = [chunk for chunk in chunks if "```python" in chunk.text]
    assert len(fenced.text.encode()) > MOST
    assert fenced.text.count("```") == 2
    assert "line_119" in fenced.text


def test_a_fence_inside_a_list_is_one_too() -> None:
    fences = "   ```\n   # no heading\n   ```\n\n      ```\n# Still not\n      ```\n"
    text = f"# List\n\n1. {PROSE}\n\n{fences}"
    assert _names(text) == ["List"]


def test_a_fence_that_nobody_closes_ends_with_the_page() -> None:
    assert _names(f"# One\n\n{PROSE}\n{PROSE}\n\n```\n# Two\n\n{PROSE}\n{PROSE}\n") == ["One"]


def test_front_matter_is_no_heading_and_goes_with_what_follows() -> None:
    text = f"---\ntitle: Page\n# a comment\n---\n\n# Title\n\n{PROSE}\n{PROSE}\n"
    [chunk] = _cut(text)
    assert chunk.name == "Title"
    assert chunk.text.startswith("---\ntitle: Page")


def test_a_long_section_is_split_at_paragraphs() -> None:
    paragraphs = "\n\n".join(f"{n}. {PROSE} {PROSE}" for n in range(30))
    chunks = _cut(f"# Long\n\n{paragraphs}\n")
    assert len(chunks) > 2
    assert {chunk.name for chunk in chunks} == {"Long"}
    assert all(len(chunk.text.encode()) <= MOST for chunk in chunks)
    assert all(chunk.text.endswith("it does.") for chunk in chunks)


def test_a_heading_is_never_left_alone() -> None:
    chunks = _cut(f"# Guide\n\n## Part\n\n{'word ' * 290}\n\n{PROSE}\n")
    assert chunks[0].name == "Guide > Part"
    assert "word" in chunks[0].text


def test_tiny_sections_go_with_the_next() -> None:
    tiny = "# Words\n\n## A\n\none\n\n## B\n\ntwo\n\n"
    text = f"{tiny}## C\n\n{PROSE}\n{PROSE}\n\n# Other\n\n{PROSE}\n{PROSE}"
    first, other = _cut(text)
    assert (first.name, other.name) == ("Words", "Other")
    assert first.text.startswith("# Words")
    between = "".join(f"## {n}\n\nTwo words and then some more for {n}.\n\n" for n in "ABC")
    [chunk] = _cut(f"# Words\n\n{between}")
    assert chunk.name == "Words"


def test_a_tiny_section_does_not_cross_into_the_next_chapter() -> None:
    text = f"# One\n\n{PROSE}\n{PROSE}\n\n## See also\n\nmore\n\n# Two\n\n{PROSE}\n{PROSE}\n"
    assert _names(text) == ["One", "One > See also", "Two"]


def test_marks_are_taken_off_a_heading() -> None:
    text = f"## The `index` **command**, see [the guide](guide.md)\n\n{PROSE}\n{PROSE}\n"
    assert _names(text) == ["The index command, see the guide"]


def test_an_empty_page_has_no_chunks() -> None:
    assert _cut("") == []
    assert _cut("\n \n\t\n") == []
