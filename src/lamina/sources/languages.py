"""Which language a file is in, by its name, and how a definition looks in it.

The patterns only find where definitions begin. One that is missed, or seen where there is none,
moves a border between two chunks and loses nothing.
"""

import re
from functools import cache
from typing import Final

_SUFFIXES: Final = {
    "markdown": "md markdown mdown mkd mdx",
    "python": "py pyi pyw",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts tsx mts cts",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "kotlin": "kt kts",
    "csharp": "cs",
    "scala": "scala sc",
    "swift": "swift",
    "c": "c h",
    "cpp": "cc cpp cxx hh hpp hxx ipp",
    "ruby": "rb rake gemspec",
    "php": "php",
    "perl": "pl pm",
    "lua": "lua",
    "elixir": "ex exs",
    "shell": "sh bash zsh ksh",
    "sql": "sql",
    "proto": "proto",
    "json": "json jsonl ipynb",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf",
    "html": "html htm xhtml",
    "xml": "xml svg xsd",
    "css": "css scss less",
    "rst": "rst",
    "csv": "csv tsv",
}
_BY_SUFFIX: Final = {
    suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()
}
_BY_NAME: Final = {
    "makefile": "make", "dockerfile": "docker", "rakefile": "ruby", "gemfile": "ruby",
}  # fmt: skip
_SHEBANG: Final = re.compile(r"#!.*?\b(python|bash|zsh|ksh|sh|ruby|perl|lua|node|php)")
_INTERPRETERS: Final = {"bash": "shell", "zsh": "shell", "ksh": "shell", "sh": "shell",
                        "node": "javascript"}  # fmt: skip

_NAME: Final = r"(?P<name>[\w$]+)"
_ACCESS: Final = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|sealed|override|virtual|async"
    r"|partial|open|data|inline|suspend|readonly|unsafe|extern|synchronized|native|default|export"
    r"|declare|implicit|lazy|case|fileprivate|mutating|convenience|required|inner|companion"
    r"|tailrec|operator|infix|const)\s+)*"
)
_NOT_A_CALL: Final = (
    r"(?!(?:if|for|foreach|while|switch|catch|return|else|do|new|throw|case|using|lock|await|yield"
    r"|function|with|defer|go|select|super|this|typeof|delete|sizeof|assert)\b)"
)
_METHOD: Final = (
    rf"\s+{_ACCESS}(?:[\w<>\[\],.?:*&]+\s+)*{_NOT_A_CALL}{_NAME}\s*(?:<[^()]*>)?\([^;=]*$"
)
_TYPES: Final = (
    rf"\s*{_ACCESS}(?:class|interface|enum|record|struct|object|trait|protocol|extension|namespace"
    rf"|module|actor)\s+(?!for\b|of\b|is\b){_NAME}"
)
_SCRIPT: Final = (
    rf"\s*{_ACCESS}(?:function\s*\*?|class|interface|enum|namespace|module|type)\s+{_NAME}",
    rf"\s*{_ACCESS}(?:const|let|var)\s+{_NAME}\s*(?::[^=]+)?=\s*(?:async\b\s*)?"
    r"(?:function\b|class\b|\(|<|[\w$]+\s*=>)",
    rf"\s+{_ACCESS}(?:get\s+|set\s+|\*\s*)?{_NOT_A_CALL}(?P<method>[\w$#]+)\s*"
    r"(?:<[^()]*>)?\([^;]*\)\s*(?::[^;{]+)?\{\s*$",
)
_BRACED: Final = (_TYPES, rf"\s*{_ACCESS}(?:fun|func|def|init)\s+(?:[\w<>.]+\.)?{_NAME}", _METHOD)
_C: Final = (
    rf"\s*(?:template\s*<.*>\s*)?(?:typedef\s+)?(?:class|struct|enum(?:\s+class)?|union|namespace)\s+{_NAME}[^;]*$",
    rf"{_NOT_A_CALL}[A-Za-z_][\w\s*&:<>,~]*?[\s*&]{_NOT_A_CALL}(?P<method>[\w:~]+)\s*\([^;]*$",
    r"\s*#\s*define\s+(?P<macro>\w+)\(",
)
_PATTERNS: Final[dict[str, tuple[str, ...]]] = {
    "python": (rf"\s*(?:async\s+)?(?:def|class)\s+{_NAME}",),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "go": (rf"func\s+(?:\([^)]*\)\s*)?{_NAME}", rf"type\s+{_NAME}"),
    "rust": (
        r"\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|const|async|unsafe|extern(?:\s+\"[^\"]*\")?)\s+)*"
        rf"(?:fn|struct|enum|trait|union|mod|type)\s+{_NAME}",
        r"\s*macro_rules!\s+(?P<macro>\w+)",
        r"\s*(?:unsafe\s+)?impl\b(?:<.*?>)?\s+(?P<target>[^{]+?)\s*(?:\bwhere\b.*)?\{?\s*$",
    ),
    "java": _BRACED,
    "kotlin": _BRACED,
    "csharp": _BRACED,
    "scala": _BRACED,
    "swift": _BRACED,
    "c": _C,
    "cpp": (*_C, _METHOD),
    "ruby": (r"\s*(?:def|class|module)\s+(?P<name>[\w.:?!=]+)",),
    "php": (_TYPES, rf"\s*{_ACCESS}function\s+&?{_NAME}"),
    "perl": (r"\s*(?:sub|package)\s+(?P<name>[\w:]+)",),
    "lua": (r"\s*(?:local\s+)?function\s+(?P<name>[\w.:]+)",),
    "elixir": (r"\s*(?:def|defp|defmodule|defmacro|defprotocol|defimpl)\s+(?P<name>[\w.?!]+)",),
    "shell": (r"\s*function\s+(?P<name>[\w:.-]+)", r"\s*(?P<bare>[\w:.-]+)\s*\(\)"),
    "sql": (r"(?i:\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unique\s+|virtual\s+"
            r"|materialized\s+)*(?:table|view|index|function|procedure|trigger|type|schema)\s+"
            r"(?:if\s+not\s+exists\s+)?(?P<name>[\w.\"`]+))",),
    "proto": (rf"\s*(?:message|enum|service|rpc)\s+{_NAME}",),
}  # fmt: skip


def language_of(name: str, first_line: str = "") -> str:
    """The language of a file with this name; `text` when nothing tells."""
    base = name.rpartition("/")[2].lower()
    stem, dot, suffix = base.rpartition(".")
    if dot and stem and suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if base in _BY_NAME:
        return _BY_NAME[base]
    shebang = _SHEBANG.match(first_line)
    return _INTERPRETERS.get(shebang[1], shebang[1]) if shebang else "text"


def has_definitions(language: str) -> bool:
    """Whether definitions are looked for in this language."""
    return language in _PATTERNS


@cache
def definitions(language: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of lines that begin a definition; the one group that matched is its name."""
    return tuple(re.compile(pattern) for pattern in _PATTERNS[language])
