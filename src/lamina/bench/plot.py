"""Plots: for a terminal in characters, and for a page as SVG. Both axes may be logarithmic."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

MARKS: Final = "ox+*#@"
_COLOURS: Final = ("#1f5fa8", "#b3452c", "#3c7d3c", "#7a4fa0", "#8a6d1d", "#444444")
_WIDTH: Final = 56
_HEIGHT: Final = 12
_PAGE: Final = (640, 400)
_MARGIN: Final = 60


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines of points under one heading."""

    title: str
    series: Mapping[str, Sequence[tuple[float, float]]]
    across: str
    """What the points are told apart by, from left to right."""
    up: str
    logarithmic: bool = False

    def to_lines(self, width: int = _WIDTH, height: int = _HEIGHT) -> list[str]:
        """The plot as lines of text, each series with a mark of its own."""
        field = [[" "] * width for _ in range(height)]
        left, right, low, high = self._frame()
        for mark, points in zip(MARKS, self.series.values(), strict=False):
            for x, y in points:
                column = _place(self._scaled(x), left, right, width)
                row = height - 1 - _place(self._scaled(y), low, high, height)
                field[row][column] = mark
        labels = {0: self._label(high), height - 1: self._label(low)}
        wide = max(map(len, labels.values()))
        rows = [f"{labels.get(n, ''):>{wide}} |{''.join(row)}" for n, row in enumerate(field)]
        start, end = self._label(left), self._label(right)
        legend = ", ".join(f"{m} {n}" for m, n in zip(MARKS, self.series, strict=False))
        return [
            f"{self.title} ({self.up})", *rows, " " * wide + " +" + "-" * width,
            f"{' ' * (wide + 2)}{start}{self.across:^{width - len(start) - len(end)}}{end}",
            f"{' ' * (wide + 2)}{legend}",
        ]  # fmt: skip

    def to_svg(self) -> str:
        """The plot as a page of its own."""
        wide, high = _PAGE
        body = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}"'
            ' font-family="sans-serif" font-size="12">',
            f'<rect width="{wide}" height="{high}" fill="white"/>',
            f'<text x="{wide / 2}" y="20" text-anchor="middle">{escape(self.title)}</text>',
            *self._axes(),
        ]
        for number, (name, points) in enumerate(self.series.items()):
            colour = _COLOURS[number % len(_COLOURS)]
            placed = [self._point(x, y) for x, y in points]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
            body.append(f'<polyline points="{path}" fill="none" stroke="{colour}"/>')
            body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
                     for x, y in placed]  # fmt: skip
            at = f'x="{_MARGIN + 10}" y="{_MARGIN - 15 + 15 * number}" fill="{colour}"'
            body.append(f"<text {at}>{escape(name)}</text>")
        return "\n".join([*body, "</svg>", ""])

    def _axes(self) -> list[str]:
        wide, high = _PAGE
        left, right, low, top = self._frame()
        bottom, end = high - _MARGIN, wide - _MARGIN
        texts = (
            (_MARGIN, bottom + 16, "start", self._label(left)),
            (end, bottom + 16, "end", self._label(right)),
            (_MARGIN - 6, bottom, "end", self._label(low)),
            (_MARGIN - 6, _MARGIN, "end", self._label(top)),
            (wide / 2, bottom + 32, "middle", self.across),
            (_MARGIN, _MARGIN - 30, "start", self.up),
        )
        line = f'<path d="M{_MARGIN},{_MARGIN} V{bottom} H{end}" fill="none" stroke="#888"/>'
        return [line] + [
            f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
            for x, y, anchor, text in texts
        ]

    def _point(self, x: float, y: float) -> tuple[float, float]:
        wide, high = (side - 2 * _MARGIN for side in _PAGE)
        left, right, low, top = self._frame()
        across = (self._scaled(x) - left) / ((right - left) or 1)
        up = (self._scaled(y) - low) / ((top - low) or 1)
        return _MARGIN + across * wide, _PAGE[1] - _MARGIN - up * high

    def _frame(self) -> tuple[float, float, float, float]:
        """Left, right, low and high, as they are scaled."""
        points = [point for line in self.series.values() for point in line]
        across = [self._scaled(x) for x, _ in points] or [0.0]
        up = [self._scaled(y) for _, y in points] or [0.0]
        return min(across), max(across), min(up), max(up)

    def _scaled(self, value: float) -> float:
        return math.log10(max(value, 1e-9)) if self.logarithmic else value

    def _label(self, scaled: float) -> str:
        value = 10**scaled if self.logarithmic else scaled
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _place(value: float, low: float, high: float, size: int) -> int:
    return round((value - low) / ((high - low) or 1) * (size - 1))
