"""Phrases that only introduce what is remembered, and words that deny it."""

import re
from typing import Final

_SAID: Final = """
as noted|as noted before|as noted earlier|as noted above|as mentioned|as mentioned before|as stated
as i said|as we said|as you said|as you told me|as you mentioned|as i recall|as i remember
as far as i know|as far as i remember|as far as i recall|as a reminder|as we know|as before
i remember|i remember that|i do remember that|i recall|i recall that|i know|i know that|i noted
i noted that|i have noted that|i was told|i was told that|i have it noted that|i can recall that
you told me|you told me that|you told me before that|you said|you said that|you mentioned
you mentioned that|you asked me to remember that|you asked me to remember|you noted that
we know|we know that|we noted|we noted that|we said that|we agreed that|it is known that
it was noted that|remember|remember that|note|note that|noted|reminder|recall that|recap|summary
my notes say|my notes say that|my memory says|my memory says that|memory says|memory says that
the memory says that|the notes say that|according to my notes|according to my memory
according to memory|according to the notes|from memory|from my memory|from my notes|in my notes
in my memory|in summary|in short|to recap|to summarise|to summarize|for the record|for reference
here is what i know|here is what i remember|here is what i recall|here's what i know
here's what i remember|this is what i know|this is what i remember|what i know|what i remember
this is what i have|i have the following|the following is known|known facts|memory|memories
ich erinnere mich|wie gesagt|wie notiert|wie erwähnt|ich weiß|laut meinen notizen|zur erinnerung
je me souviens|comme indiqué|comme noté|vous m'avez dit que|tu m'as dit que|d'après mes notes
recuerdo|recuerdo que|como se indicó|me dijiste que|según mis notas
我 记 得|如 前 所 述|你 告 诉 我|你 说 过|根 据 我 的 笔 记|覚 え て い ま す
and|and that|also|and also|as well as|so|yes|sure|right|indeed|of course|certainly|again|okay|ok
und|et|y|e|auch|aussi|también|和
"""
PHRASES: Final = frozenset(one for line in _SAID.split("\n") for one in line.split("|") if one)
"""None of them says anything about what it introduces: not whether it holds, nor since when."""

_DENIAL: Final = re.compile(
    r"\b(?:not|no|never|none|cannot|wrong|false|incorrect|mistaken|untrue|outdated|obsolete|stale"
    r"|longer|instead|but|however|although|now|anymore|corrected?|correction|changed?|actually"
    r"|nicht|kein\w*|falsch|veraltet|sondern|aber|jetzt|faux|périmé|mais|falso|pero|ahora)\b|n't\b"
    r"|[不没別错旧]|ない",
    re.IGNORECASE,
)


def denies(words: str) -> bool:
    """Whether words may say that something beside them does not hold."""
    return bool(_DENIAL.search(words))
