"""Where documents are: which of them can be seen, as masks over the documents of a segment."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np

from lamina.core.access import Grant, Reach
from lamina.indexes.file import Array, ArrayFile, refuse_unless
from lamina.indexes.strings import Strings

Place: TypeAlias = tuple[str, str]
"""A scope and a layer."""
_KEPT: Final = 16
_BETWEEN: Final = "\x00"
"""Stands between scope and layer: less than anything that a scope may hold."""


@dataclass(frozen=True, slots=True)
class Sight:
    """Which places count: those that one grant of every group covers. No group: all of them."""

    groups: tuple[tuple[Grant, ...], ...] = ()

    @classmethod
    def of(cls, *reaches: Reach) -> "Sight":
        """What lies within all of these."""
        return cls(tuple(reach.grants for reach in reaches))

    def __and__(self, other: "Sight") -> "Sight":
        return Sight(tuple(dict.fromkeys(self.groups + other.groups)))

    def covers(self, scope: str, layer: str) -> bool:
        """Whether a place counts."""
        return all(any(one.covers(scope, layer) for one in group) for group in self.groups)


EVERYWHERE: Final = Sight()


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a segment's documents."""

    names: Strings
    layers: Array
    """The number of each place's layer."""
    layer_names: tuple[str, ...]
    of_document: Array
    """The number of each document's place."""
    _masks: dict[Sight, Array | None] = field(default_factory=dict)

    @classmethod
    def of(cls, places: Sequence[Place], of_document: Array) -> "Places":
        """Make them of distinct places, and for each document the number of its place."""
        every = sorted(places, key=_BETWEEN.join)
        numbers = {place: number for number, place in enumerate(every)}
        rank = np.array([numbers[place] for place in places], _width(len(places)))
        return cls(*_named(every), rank[of_document])

    @classmethod
    def joined(cls, parts: Iterable[tuple["Places", Array]], order: Array) -> "Places":
        """The places of some documents of several segments, brought into a new order."""
        chosen = [(places, places.of_document[kept]) for places, kept in parts]
        every = sorted({p for places, used in chosen for p in places.used(used)}, key=_BETWEEN.join)
        numbers = {place: number for number, place in enumerate(every)}
        renumbered = [
            np.array([numbers.get(one, 0) for one in places], "u4")[used] for places, used in chosen
        ]
        of_document = np.concatenate([np.zeros(0, "u4"), *renumbered])[order]
        return cls(*_named(every), of_document.astype(_width(len(every))))

    @classmethod
    def of_file(cls, file: ArrayFile, documents: int) -> "Places":
        """Take places out of a file that `arrays` put there."""
        names = Strings.of_file(file, "place")
        layers, of_document = file.named("place_layer", "place")
        layer_names = tuple(file.facts.get("layers", ()))
        fits = layers.shape == (len(names),) and of_document.shape == (documents,)
        fits = fits and (not len(layers) or int(layers.max()) < len(layer_names))
        refuse_unless(fits, file.path, "has places that do not fit together")
        return cls(names, layers, layer_names, of_document)

    def arrays(self) -> dict[str, Array]:
        """What to write into a file, beside the fact `layers`."""
        return {
            **self.names.arrays("place"),
            "place_layer": self.layers,
            "place": self.of_document,
        }

    def __iter__(self) -> Iterator[Place]:
        for number in range(len(self.names)):
            scope, _, layer = self.names[number].partition(_BETWEEN)
            yield scope, layer

    def used(self, numbers: Array) -> Iterator[Place]:
        """The places that are among these."""
        counts = np.bincount(numbers, minlength=len(self.names))
        return (place for place, count in zip(self, counts.tolist(), strict=True) if count)

    def mask(self, sight: Sight) -> Array | None:
        """Which documents count; `None` when all of them do."""
        if not sight.groups:
            return None
        try:
            return self._masks[sight]
        except KeyError:
            pass
        covered = np.ones(len(self.names), bool)
        for group in sight.groups:
            covered &= self._covered(group)
        mask = None if covered.all() else covered[self.of_document]
        if len(self._masks) >= _KEPT:
            self._masks.clear()
        self._masks[sight] = mask
        return mask

    def _covered(self, grants: Iterable[Grant]) -> Array:
        covered = np.zeros(len(self.names), bool)
        for grant in grants:
            layers = np.array([name in grant.layers for name in self.layer_names], bool)
            for part in self._ranges(grant):
                covered[part] |= layers[self.layers[part]]
        return covered

    def _ranges(self, grant: Grant) -> Iterator[slice]:
        if grant.scope is None:
            yield slice(None)
            return
        ends = (_BETWEEN, "/") if grant.subtree else (_BETWEEN,)
        for end in ends:
            found = self.names.starting(grant.scope + end)
            yield slice(found.start, found.stop)


def _named(every: Sequence[Place]) -> tuple[Strings, Array, tuple[str, ...]]:
    layer_names = tuple(sorted({layer for _, layer in every}))
    numbers = {name: number for number, name in enumerate(layer_names)}
    layers = np.array([numbers[layer] for _, layer in every], "u1")
    return Strings.of([_BETWEEN.join(place) for place in every]), layers, layer_names


def _width(places: int) -> str:
    return "u2" if places <= 1 << 16 else "u4"
