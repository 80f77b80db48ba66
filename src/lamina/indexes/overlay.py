"""The documents that are newer than all segments, in dictionaries."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from lamina.indexes.places import Place, Sight
from lamina.indexes.postings import WordDoc

_KEPT: Final = 16


@dataclass(frozen=True, slots=True)
class Overlay:
    """A value: `changed` answers with another one, so readers need no lock."""

    places: Mapping[int, Place] = field(default_factory=dict)
    tokens: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    postings: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """By token: how often each record holds it."""
    gone: frozenset[int] = frozenset()
    """Records that were changed and have no document any more."""
    _counted: dict[Sight, tuple[int, int]] = field(default_factory=dict, compare=False)

    def __len__(self) -> int:
        return len(self.places)

    def changed(self, put: Iterable[WordDoc], drop: Iterable[int] = ()) -> "Overlay":
        """The overlay after documents were dropped, then others put (in place of their old)."""
        places, tokens, postings = dict(self.places), dict(self.tokens), dict(self.postings)
        owned: set[str] = set()
        fresh = {doc.rid: doc for doc in put}
        dropped = set(drop)
        for rid in dropped | fresh.keys():
            for token in set(tokens.pop(rid, ())):
                _own(postings, owned, token).pop(rid)
                if not postings[token]:
                    del postings[token]
            places.pop(rid, None)
        for rid, doc in fresh.items():
            places[rid], tokens[rid] = (doc.scope, doc.layer), tuple(doc.tokens)
            for token, number in Counter(doc.tokens).items():
                _own(postings, owned, token)[rid] = number
        return Overlay(places, tokens, postings, (self.gone | dropped) - fresh.keys())

    def docs(self) -> Iterator[WordDoc]:
        """The documents, for a segment to be made of them."""
        for rid, tokens in self.tokens.items():
            yield WordDoc(rid, *self.places[rid], tokens)

    def holders(self, token: str, sight: Sight) -> dict[int, int]:
        """The records in sight that hold a token, and how often."""
        found = self.postings.get(token)
        if not found:
            return {}
        if not sight.groups:
            return dict(found)
        covered = cache(sight.covers)
        return {rid: n for rid, n in found.items() if covered(*self.places[rid])}

    def counted(self, sight: Sight) -> tuple[int, int]:
        """How many documents are in sight, and how many tokens they have."""
        if sight not in self._counted:
            covered = cache(sight.covers)
            every = self.tokens.items()
            seen = [tokens for rid, tokens in every if tokens and covered(*self.places[rid])]
            if len(self._counted) >= _KEPT:
                self._counted.clear()
            self._counted[sight] = len(seen), sum(map(len, seen))
        return self._counted[sight]

    def seen(self, sight: Sight) -> Iterator[str]:
        """The tokens that a record in sight holds."""
        covered = cache(sight.covers)
        for token, found in self.postings.items():
            if not sight.groups or any(covered(*self.places[rid]) for rid in found):
                yield token

    def changes(self) -> frozenset[int]:
        """All records that were changed since the segments were made."""
        return self.gone | self.places.keys()


def _own(postings: dict[str, Mapping[int, int]], owned: set[str], token: str) -> dict[int, int]:
    """A token's postings as a dictionary that no other overlay shares."""
    mine = postings.get(token)
    # A token that nothing held any more was taken out, and begins anew.
    if mine is None or token not in owned or not isinstance(mine, dict):
        owned.add(token)
        mine = postings[token] = dict(mine or {})
    return mine
