"""Code is cut by definition."""

import pytest

from lamina.sources.chunks import Chunk
from lamina.sources.cutting import cut_text
from tests.sources.samples import CODE, assert_whole

BODY = "\n".join(f"        value_{n} = self.compute(value_{n}, {n})" for n in range(24))
MODULE = f'''"""What the module is for."""

import os

LIMIT = 10


# Why it is here.
@decorated
@twice(
    LIMIT,
)
def first(x: int) -> int:
    """Say what it does, at a length that makes a function of it that is not tiny."""
    def inner() -> int:
        return x

    return inner()


class Large(Base):
    """A class with a docstring

    that has several paragraphs.
    """

    attribute = 1

    @property
    def one(self) -> int:
{BODY}
        return 1

    async def two(self) -> int:
{BODY}
        return 2

    class Nested:
        def three(self) -> int:
            return 3


if __name__ == "__main__":
    first(LIMIT)
'''


def _cut(text: str, language: str = "python") -> list[Chunk]:
    chunks = cut_text(text, language)
    assert_whole(text, chunks)
    return chunks


def _by_name(text: str, language: str = "python") -> dict[str, Chunk]:
    chunks = _cut(text, language)
    assert len({chunk.name for chunk in chunks}) == len(chunks)
    return {chunk.name: chunk for chunk in chunks}


def test_python_is_cut_at_functions_and_the_methods_of_large_classes() -> None:
    found = _by_name(MODULE)
    assert list(found) == ["first", "Large", "Large.one", "Large.two", "Large.Nested"]
    assert found["Large"].text.startswith("class Large(Base):")
    assert "several paragraphs" in found["Large"].text
    assert "attribute = 1" in found["Large"].text
    assert "__main__" in found["Large.Nested"].text


def test_decorators_and_the_comment_above_belong_to_a_definition() -> None:
    found = _by_name("import os\n" * 20 + MODULE)
    assert found["first"].text.startswith("# Why it is here.\n@decorated\n@twice(")
    assert found["first"].text.endswith("return inner()")
    assert found["Large.one"].text.startswith("    @property\n")


def test_a_small_class_stays_in_one_piece() -> None:
    text = '''class Point:
    """A point in the plane, which is where all the points of this module are to be found."""

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y

    def length(self) -> float:
        return (self.x**2 + self.y**2) ** 0.5
'''
    assert list(_by_name(text)) == ["Point"]


def test_one_line_functions_go_together() -> None:
    text = "def a(): return 1\n\n\ndef b(): return 2\n\n\ndef c(): return 3\n"
    [chunk] = _cut(text)
    assert chunk.name == "a, b, c"


def test_a_long_function_is_split_and_keeps_its_name() -> None:
    body = "\n\n".join(f"    step_{n} = do_something_with(step_{n - 1})" for n in range(1, 99))
    chunks = _cut(f"def long():\n{body}\n")
    assert len(chunks) > 1
    assert {chunk.name for chunk in chunks} == {"long"}


def test_python_that_does_not_parse_is_cut_all_the_same() -> None:
    body = "    x = 1  # a comment that makes the function long enough not to be tiny by itself\n"
    text = f"def fine():\n{body}{body}\nclass Broken(\n\ndef other():\n{body}{body}"
    names = [chunk.name for chunk in _cut(text)]
    assert names[0] == "fine"
    assert "other" in names[-1]


def test_the_parser_keeps_its_warnings_to_itself(recwarn: pytest.WarningsRecorder) -> None:
    _cut('x = "\\d"\nif x is 1: pass\n')
    assert len(recwarn) == 0


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("go", ["Greeter, Greet", "main"]),
        ("typescript", ["Person", "greet", "Greeter"]),
        ("rust", ["Point", "fmt::Display for Point", "distance"]),
        ("java", ["Ledger"]),
        ("c", ["add", "main"]),
        ("ruby", ["Shop"]),
        ("shell", ["say", "deploy"]),
    ],
)
def test_other_languages_are_cut_where_definitions_begin(language: str, names: list[str]) -> None:
    assert [chunk.name for chunk in _cut(CODE[language], language)] == names


@pytest.mark.parametrize(
    ("language", "start", "line", "names"),
    [
        ("java", "public class A {", "    public int f{n}(int a) {{\n{body}    }}\n", ["A.f0"]),
        ("typescript", "class A {", "  async f{n}(a: number) {{\n{body}  }}\n", ["A.f0"]),
        ("ruby", "module M", "  def f{n}(a)\n{body}  end\n", ["M.f0"]),
        ("cpp", "namespace n {", "int A::f{n}(int a) {{\n{body}}}\n", ["A::f1"]),
    ],
)
def test_what_is_too_large_is_cut_at_what_it_holds(
    language: str, start: str, line: str, names: list[str]
) -> None:
    body = "        call(a, 1); call(a, 2); call(a, 3); call(a, 4);\n" * 6
    methods = "\n".join(line.format(n=n, body=body) for n in range(6))
    found = [chunk.name for chunk in _cut(f"{start}\n\n{methods}\n}}\n", language)]
    assert len(found) >= 6
    assert any(name in found for name in names), found


def test_a_comment_right_above_goes_with_its_definition() -> None:
    found = {chunk.name: chunk for chunk in _cut(CODE["rust"], "rust")}
    assert found["Point"].text.splitlines()[2:4][0].startswith("/// A point")
    assert "#[derive" in found["Point"].text
    found = {chunk.name: chunk for chunk in _cut("\n" * 150 + CODE["shell"], "shell")}
    assert found["say"].text.endswith("}")
    assert "# Says what is going on" in found["say"].text
