"""Plots put each point where it belongs."""

from xml.etree import ElementTree

from lamina.bench.plot import Plot

LINE = Plot("growth <1>", {"ours": [(1, 1), (100, 10)], "theirs": [(1, 100)]}, "n", "ms", True)


def test_points_lie_by_their_logarithms() -> None:
    title, *rows, axis, across, legend = LINE.to_lines(width=21, height=11)
    assert title == "growth <1> (ms)"
    fields = [row.partition("|")[2] for row in rows]
    assert fields[0][0] == "x"
    assert fields[10][0] == "o"
    assert fields[5][20] == "o"
    assert sum(field.count("o") for field in fields) == 2
    assert rows[0].startswith("100 |")
    assert across.split() == ["1", "n", "100"]
    assert axis.endswith("-" * 21)
    assert legend.strip() == "o ours, x theirs"


def test_the_page_is_well_formed_and_holds_every_point() -> None:
    page = ElementTree.fromstring(LINE.to_svg())
    names = [element.tag.rpartition("}")[2] for element in page]
    assert names.count("circle") == 3
    assert names.count("polyline") == 2
    texts = [element.text for element in page if element.tag.endswith("text")]
    assert {"growth <1>", "ours", "theirs", "ms"} <= set(texts)


def test_a_single_point_and_none_at_all_are_plots() -> None:
    assert any("o" in row for row in Plot("t", {"s": [(2, 3)]}, "x", "y").to_lines())
    assert Plot("t", {}, "x", "y").to_lines()
