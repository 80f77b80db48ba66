"""Generated texts are the same everywhere, repeat words as texts do, and lie in scopes of 1 %."""

from collections import Counter

from lamina.bench.mix import Mix
from lamina.bench.texts import BLOCK, SMALL, Texts, drafts, scope_of

TEXTS = Texts()
FIRST = TEXTS.block(0)


def test_a_text_is_the_same_every_time_and_differs_from_its_neighbours() -> None:
    assert Texts().block(0) == FIRST
    assert len(FIRST) == BLOCK
    assert len(set(FIRST) | set(TEXTS.block(1))) == 2 * BLOCK
    assert Texts(seed=5).block(0) != FIRST


def test_pieces_of_blocks_join_without_a_gap() -> None:
    pieces = list(TEXTS.some(BLOCK - 3, BLOCK + 2))
    assert [len(piece) for piece in pieces] == [3, 2]
    assert [*pieces[0], *pieces[1]] == [*FIRST[-3:], *TEXTS.block(1)[:2]]
    assert [text for piece in TEXTS.some(7, 9) for text in piece] == FIRST[7:9]


def test_words_repeat_as_they_do_in_nature() -> None:
    words = [text.lower().rstrip(".").split() for text in FIRST]
    assert 27 < sum(map(len, words)) / BLOCK < 31
    held = Counter(word for each in words for word in set(each))
    told = [count for word, count in held.most_common() if word not in SMALL]
    # No word with meaning is in very many texts, many are in one alone.
    assert 0.01 * BLOCK < told[0] < 0.1 * BLOCK
    assert sum(count == 1 for count in told) > 0.2 * len(told)


def test_a_hundred_scopes_hold_a_hundredth_each() -> None:
    held = Counter(map(scope_of, range(1_000)))
    assert set(held.values()) == {10}
    assert len({scope.split("/task/")[0] for scope in held}) == 4
    made = drafts(FIRST[:1_000], 0)
    assert [draft["scope"] for draft in made] == list(map(scope_of, range(1_000)))
    assert Counter(draft.get("layer") for draft in made)["log"] == 100


def test_questions_of_each_sort_are_about_texts_of_the_smallest_store() -> None:
    mix = Mix(TEXTS, 40)
    asked = mix.questions(3)
    assert asked == mix.questions(3)
    assert asked != mix.questions(3, seed=9)
    assert set(Counter(one.kind for one in asked).values()) == {3}
    assert all(one.about < 40 and one.scope == scope_of(one.about) for one in asked)
    rare = next(one for one in asked if one.kind == "rare words")
    assert set(rare.text.split()) <= set(FIRST[rare.about].rstrip(".").split())
    wrong = next(one for one in asked if one.kind == "misspelt")
    assert wrong.text.split()[0] not in FIRST[wrong.about]
