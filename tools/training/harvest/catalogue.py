"""The list of sources with their licences."""

from __future__ import annotations

import re

_PERMISSIVE = re.compile(
    r"MIT|BSD|Apache|ISC|PSF|Python Software|Zope|Unlicense|CC0|Public Domain|PIL|HPND|Artistic"
    r"|MPL|Mozilla",
    re.I,
)
_COPYLEFT = re.compile(r"\bA?GPL|\bLGPL|GNU|Proprietary|Other/", re.I)

DIALOGUES = (
    ("google-research-datasets/Synthetic-Persona-Chat", "CC-BY-4.0", "personas"),
    ("alexa/Topical-Chat", "CDLA-Sharing-1.0", "topical"),
    ("google-research-datasets/Taskmaster", "CC-BY-4.0", "taskmaster"),
    ("google-research-datasets/dstc8-schema-guided-dialogue", "CC-BY-SA-4.0", "schema_guided"),
    ("jkkummerfeld/irc-disentanglement", "CC-BY-4.0", "chat_logs"),
    ("ConvLab/ConvLab-2", "Apache-2.0", "wizard"),
    ("thu-coai/CrossWOZ", "Apache-2.0", "chinese_trips"),
    ("thu-coai/KdConv", "Apache-2.0", "chinese_talk"),
)
QUESTIONS = (
    ("google-deepmind/xquad", "CC-BY-SA-4.0", "passages"),
    ("google-research-datasets/Disfl-QA", "CC-BY-4.0", "disfluent"),
    ("google-research-datasets/natural-questions", "CC-BY-SA-3.0", "open_questions"),
    ("google-research-datasets/query-wellformedness", "CC-BY-SA-4.0", "well_formed"),
    ("openai/grade-school-math", "MIT", "sums"),
    ("iesl/protoqa-data", "CC-BY-4.0", "habits"),
    ("allenai/scitldr", "Apache-2.0", "papers"),
)
INTENTS = (
    ("clinc/oos-eval", "CC-BY-3.0", r"data_full\.json$"),
    ("PolyAI-LDN/task-specific-datasets", "CC-BY-4.0", r"banking_data/train\.csv$"),
)
DOCUMENTS = (
    ("kubernetes/website", "CC-BY-4.0", r"^content/en/.*\.md$", 900),
    ("kubernetes/website", "CC-BY-4.0", r"^content/(de|fr|es|ru)/.*\.md$", 500),
    ("kubernetes/website", "CC-BY-4.0", r"^content/zh-cn/.*\.md$", 250),
    ("mdn/translated-content", "CC-BY-SA-2.5", r"^files/(fr|es|ru)/.*\.md$", 1800),
    ("mdn/translated-content", "CC-BY-SA-2.5", r"^files/zh-cn/.*\.md$", 500),
    ("github/docs", "CC-BY-4.0", r"^content/.*\.md$", 1800),
    ("freeCodeCamp/freeCodeCamp", "CC-BY-SA-4.0", r"^curriculum/.*english.*\.md$", 5000),
    ("18F/handbook", "CC0-1.0", r"\.md$", 900),
    ("sourcegraph/handbook", "Apache-2.0", r"\.md$", 1200),
    ("GSA/digitalgov.gov", "CC0-1.0", r"^content/.*\.md$", 2500),
    ("LukeSmithxyz/based.cooking", "Unlicense", r"^content/.*\.md$", 900),
    ("python/peps", "CC0-1.0", r"pep-\d+\.rst$", 900),
    ("rust-lang/rfcs", "MIT OR Apache-2.0", r"^text/.*\.md$", 700),
    ("django/django", "BSD-3-Clause", r"^docs/.*\.txt$(?#rst)", 700),
    (
        "zulip/zulip",
        "Apache-2.0",
        r"^(docs|starlight_help|help|templates/zerver/help)/.*\.mdx?$",
        700,
    ),
    ("reactjs/zh-hans.react.dev", "CC-BY-4.0", r"^src/content/.*\.md$", 150),
    ("microsoft/Web-Dev-For-Beginners", "MIT", r"(README|assignment)\.md$", 300),
    ("basecamp/handbook", "CC-BY-4.0", r"\.md$", 200),
)
SENTENCES = (
    ("common-voice/common-voice", "CC0-1.0", r"^server/data/en/.*\.txt$", 60000),
    ("common-voice/common-voice", "CC0-1.0", r"^server/data/(de|fr|es|ru)/.*\.txt$", 9000),
    ("common-voice/common-voice", "CC0-1.0", r"^server/data/zh-CN/.*\.txt$", 15000),
    ("google-research-datasets/wiki-split", "CC-BY-SA-4.0", r"\.tsv$", 5000),
)
NOVELS = """jane-austen_pride-and-prejudice l-m-montgomery_anne-of-green-gables
louisa-may-alcott_little-women arthur-conan-doyle_the-adventures-of-sherlock-holmes
p-g-wodehouse_short-fiction agatha-christie_the-mysterious-affair-at-styles
o-henry_short-fiction philip-k-dick_short-fiction
anton-chekhov_short-fiction_constance-garnett george-bernard-shaw_pygmalion
oscar-wilde_the-importance-of-being-earnest samuel-pepys_the-diary
f-scott-fitzgerald_the-great-gatsby jerome-k-jerome_three-men-in-a-boat
sinclair-lewis_babbitt edith-wharton_the-age-of-innocence
ernest-hemingway_the-sun-also-rises ring-lardner_short-fiction
agatha-christie_poirot-investigates dorothy-l-sayers_whose-body""".split()
PROJECTS = (
    ("pytest-dev/pytest", "MIT"),
    ("django/django", "BSD-3-Clause"),
    ("aio-libs/aiohttp", "Apache-2.0"),
    ("pypa/pip", "MIT"),
    ("pydantic/pydantic", "MIT"),
    ("psf/black", "MIT"),
    ("scrapy/scrapy", "BSD-3-Clause"),
    ("pallets/flask", "BSD-3-Clause"),
    ("pallets/click", "BSD-3-Clause"),
    ("urllib3/urllib3", "MIT"),
    ("celery/celery", "BSD-3-Clause"),
    ("eslint/eslint", "MIT"),
    ("astral-sh/ruff", "MIT"),
    ("astral-sh/uv", "MIT OR Apache-2.0"),
    ("rails/rails", "MIT"),
    ("vuejs/core", "MIT"),
    ("tokio-rs/tokio", "MIT"),
    ("valkey-io/valkey", "BSD-3-Clause"),
    ("fastapi/fastapi", "MIT"),
    ("prettier/prettier", "MIT"),
    ("scikit-learn/scikit-learn", "BSD-3-Clause"),
    ("zulip/zulip", "Apache-2.0"),
)
DEBIAN = (
    (
        "manpages, manpages-dev",
        "Linux-man-pages-copyleft, BSD, MIT",
        "usr/share/man/man[2347]/*.gz",
    ),
    ("python3.11-doc", "PSF-2.0", "usr/share/doc/python3.11/html/**/*.html"),
    ("postgresql-doc-15", "PostgreSQL", "usr/share/doc/postgresql-doc-15/html/*.html"),
    ("sqlite3-doc", "Public Domain", "usr/share/doc/sqlite3*/**/*.html"),
    ("apache2-doc", "Apache-2.0", "usr/share/doc/apache2-doc/manual/*/**/*.html*"),
)


def permissive(licence: str) -> bool:
    """True for a licence that asks for attribution at most."""
    return bool(_PERMISSIVE.search(licence)) and not _COPYLEFT.search(licence)
