"""What git says: ignore files by folder, and paths with whether they are ignored.

Taken down from `git check-ignore --no-index`; a path that ends in `/` is a folder.
"""

CASES: dict[str, tuple[dict[str, str], dict[str, bool]]] = {
    "a name holds at every depth": (
        {"": "build\n*.pyc\n"},
        {"build/": True, "a/build": True, "a/b/build/": True, "a/x.pyc": True, "builds": False,
         "a/build.txt": False},
    ),
    "a slash ties a pattern to its folder": (
        {"": "/top\ndoc/*.txt\n", "a": "/inner\n"},
        {"top": True, "a/top": False, "doc/x.txt": True, "doc/b/x.txt": False,
         "a/doc/x.txt": False, "a/inner": True, "inner": False, "a/b/inner": False},
    ),
    "a trailing slash means folders only": (
        {"": "out/\nlib/gen/\n"},
        {"out/": True, "out": False, "a/out/": True, "lib/gen/": True, "a/lib/gen/": False},
    ),
    "two stars cross folders": (
        {"": "**/log\ncache/**\na/**/z\nq**r\n"},
        {"log": True, "x/y/log": True, "cache/": False, "cache/x": True, "cache/x/y": True,
         "a/z": True, "a/b/z": True, "a/b/c/z": True, "b/a/z": False, "q1r": True, "q/r": False},
    ),
    "one star, a question mark and sets stay within a name": (
        {"": "a*z\nb?d\n[ck]at\n[!x]og\nv[0-9].txt\n[[:upper:]]end\n"},
        {"a-z": True, "az": True, "a/z": False, "bcd": True, "bd": False, "cat": True,
         "kat": True, "hat": False, "dog": True, "xog": False, "v1.txt": True, "vx.txt": False,
         "Mend": True, "mend": False},
    ),
    "the last pattern that matches decides": (
        {"": "*.log\n!keep.log\n", "a": "!x.log\nkeep.log\n"},
        {"x.log": True, "keep.log": False, "a/x.log": False, "a/keep.log": True,
         "a/y.log": True},
    ),
    "nothing comes back from an ignored folder": (
        {"": "gone/\n!gone/kept\n*.d\n!*.d/\n"},
        {"gone/kept": True, "x.d": True, "y.d/": False, "y.d/z": False},
    ),
    "everything but": (
        {"": "/*\n!/src\n/src/*\n!/src/main\n"},
        {"other": True, "src/": False, "src/x": True, "src/main": False},
    ),
    "comments, blanks and escapes": (
        {"": "# not this\n\n\\#this\n\\!that\nspace \nkept\\ \ncr\r\nstar\\*\n"},
        {"# not this": False, "#this": True, "!that": True, "space": True, "space ": False,
         "kept ": True, "cr": True, "star*": True, "stars": False},
    ),
    "what is broken matches nothing": (
        {"": "[ab\nend\\\n[[:nope:]]x\n/\n!\n"},
        {"[ab": False, "a": False, "end": False, "end\\": False, "nx": False},
    ),
    "letters outside ASCII are bytes": (
        {"": "caf?\ncaf??\nüber*\n"},
        {"cafe": True, "café": True, "überall": True, "uberall": False},
    ),
    "odd sets": (
        {"": "[]a]1\n[b-a]2\n[a\\-c]3\n[^a]4\n"},
        {"]1": True, "a1": True, "b2": True, "a2": False, "-3": True, "b3": False, "b4": True,
         "a4": False},
    ),
}  # fmt: skip
