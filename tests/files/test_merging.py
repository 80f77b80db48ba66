"""The merge by itself: laws that hold whatever a file was made from, says, and the store holds."""

from hypothesis import given
from hypothesis import strategies as st

from lamina.core import canonical
from lamina.core.record import Record
from lamina.files.memory_page import MemoryPage
from lamina.files.merging import Base, Known, Merge, Sides, merge
from lamina.files.page import Entry, Page
from tests.files.test_pages import record

SHEET = MemoryPage()
WORDS = st.sampled_from(("herons", "owls", "wrens", "rooks", "gulls"))
NUMBERS = st.integers(0, 7)
BASES = st.dictionaries(NUMBERS, WORDS, max_size=8)
ACTS = st.dictionaries(NUMBERS, st.one_of(st.none(), WORDS), max_size=8)
"""What was done to an entry: another word, or nothing left of it."""
ADDED = st.lists(st.text("abc", min_size=1, max_size=6), max_size=3, unique=True)


def said(text: str) -> dict[str, object]:
    return {"path": ["Facts"], "key": None, "text": text}


def digest(text: str) -> str:
    return f"#{text}"


def one(number: int, text: str, rev: int = 1) -> Record:
    return record(number, text=text, rev=rev)


class Three:
    """The three sides of a merge: agents did one thing since the base, a person another."""

    def __init__(
        self, base: dict[int, str], agents: dict[int, str | None], person: dict[int, str | None],
        added: list[str],
    ) -> None:  # fmt: skip
        names = {number: str(one(number, "").id) for number in range(8)}
        self.base = {names[number]: text for number, text in base.items()}
        self.agents = {names[n]: text for n, text in agents.items() if names[n] in self.base}
        self.person = {names[n]: text for n, text in person.items() if names[n] in self.base}
        self.added = added
        self.current = {
            names[n]: one(n, self.agents.get(names[n]) or text, 2 if names[n] in self.agents else 1)
            for n, text in base.items()
            if not (names[n] in self.agents and self.agents[names[n]] is None)
        }
        lines = {name: self.person.get(name, text) for name, text in self.base.items()}
        entries = [Entry(name, said(text)) for name, text in lines.items() if text is not None]
        self.page = Page((*entries, *(Entry(None, said(f"new {text}")) for text in added)))

    def merge(self, current: dict[str, Record] | None = None) -> Merge:
        held = self.current if current is None else current
        known = {
            name: Known(1, digest(canonical.dumps(said(text)))) for name, text in self.base.items()
        }
        sides = Sides(
            Base("r", known), held, {}, digest, lambda name, mark: False,
            lambda told: next((x for x in held.values() if SHEET.said(x) == dict(told)), None),
        )  # fmt: skip
        return merge(SHEET, self.page, sides)


THREE = st.builds(Three, BASES, ACTS, ACTS, ADDED)


@given(THREE)
def test_nothing_that_a_person_wrote_is_dropped(three: Three) -> None:
    found = three.merge()
    told = [str(step.entry.said["text"]) for step in found.steps if step.entry]
    held = {x.text for x in three.current.values()}
    wanted = {f"new {text}" for text in three.added}
    wanted |= {text for name, text in three.person.items() if text and text != three.base[name]}
    assert wanted <= set(told) | held
    assert sorted(set(three.added)) == sorted(
        text.removeprefix("new ") for text in told if text.startswith("new ")
    )


@given(THREE)
def test_nothing_goes_that_a_person_did_not_remove_or_that_changed_since(three: Three) -> None:
    found = three.merge()
    gone = {step.record.id for step in found.steps if step.entry is None and step.record}
    removed = {name for name, text in three.person.items() if text is None}
    assert gone <= removed - set(three.agents)
    assert {x.id for x in found.lost} <= removed - set(three.agents)
    assert not gone or not found.lost
    assert len(gone) <= max(1, len(three.base) // 5)


@given(THREE)
def test_what_only_agents_changed_stays_theirs(three: Three) -> None:
    touched = {step.record.id for step in three.merge().steps if step.record}
    assert touched <= set(three.person)


@given(THREE)
def test_only_what_both_changed_is_a_clash(three: Three) -> None:
    clashes = {s.record.id for s in three.merge().steps if s.record and s.clash}
    both = set(three.person) & set(three.agents)
    assert clashes <= both
    differing = {
        name for name in both & set(three.current)
        if three.person[name] not in (None, three.base[name], three.current[name].text)
    }  # fmt: skip
    assert clashes == differing


@given(THREE)
def test_a_merge_that_was_carried_out_asks_for_nothing_more(three: Three) -> None:
    current = dict(three.current)
    for number, step in enumerate(three.merge().steps, start=100):
        if step.record is not None:
            del current[step.record.id]
        if step.entry is not None:
            text = str(step.entry.said["text"])
            made = one(number, text)
            name = step.record.id if step.record else made.id
            current[name] = made
    again = three.merge(current)
    assert [s.entry.said["text"] for s in again.steps if s.entry and s.record is None] == []
