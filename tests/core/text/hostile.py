"""Query strings made to break a search: operators, quotes, halves of characters, long runs."""

import random
from typing import Final

BITS: Final = (
    '"', "'", "`", "(", ")", "*", "^", ":", "-", "+", "~", "%", "_", "\\", "/", ";", "--", "||",
    "AND", "OR", "NOT", "NEAR", "NEAR(", "col:", "word MATCH", "select", "drop table record",
    "\0", "\ud800", "\udfff", "\u202e", "\u200b", "\ufeff", "\U0010ffff", "\x1b[31m", "\n", "\t",
    "é", "e\u0301", "東京", "ข้าว", "안녕", "नमस्ते", "😀", "👩‍👩‍👧", "İ", "ß", "ﬁ", "1e999", "NaN",
    "/*", "*/", "%s", "{0}", "\u200e", "\u2066", "\u00ad", "\u0300" * 9, "ﷺ", "🇩", "\ue000",
    "1,000", "a." * 40, "aA" * 40, "\u0e38\u0e48" * 20, "'" * 50, "$where",
    "{}", "[]", "<b>", "&amp;", "?1", ":x", "@p", "1:tea", "a" * 70, "z" * 3000,
)  # fmt: skip


def hostile(count: int, seed: int = 20_26) -> list[str]:
    """Seeded, so that a failure can be seen again."""
    rng = random.Random(seed)
    joins = ("", " ", "  ", "\n")
    made = (rng.choice(joins).join(rng.choices(BITS, k=rng.randint(0, 9))) for _ in range(count))
    return list(made)
