"""Where the project's files are, and how to read them as syntax; shared by the house rules."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "lamina"
TESTS = ROOT / "tests"

_NOT_OURS = {"build", "dist", "node_modules", "__pycache__"}
_HIDDEN_BUT_OURS = {".ci", ".editorconfig", ".github", ".gitignore"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
"""What a class or a function can be in; no expression holds one."""


def project_files() -> list[Path]:
    """Every file a checkout would hold: no environment, cache or build output."""

    def walk(folder: Path) -> Iterator[Path]:
        for path in sorted(folder.iterdir()):
            if path.name.startswith(".") and path.name not in _HIDDEN_BUT_OURS:
                continue
            if path.is_dir() and path.name not in _NOT_OURS:
                yield from walk(path)
            elif path.is_file():
                yield path

    return list(walk(ROOT))


def python_files(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in sorted(folder.rglob("*.py"))]


def markdown_files() -> list[Path]:
    return [path for path in project_files() if path.suffix == ".md"]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def syntax(path: Path) -> ast.Module:
    """The tree of a file; not kept, for to look for garbage in trees takes longer than to parse."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def named_nodes(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function | ast.ClassDef]]:
    """Yield every class and function below `node` with its dotted name, however deep."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{prefix}{child.name}"
            yield name, child
            yield from named_nodes(child, f"{name}.")
        elif isinstance(child, STATEMENTS):
            yield from named_nodes(child, prefix)


@functools.cache
def imported_modules(path: Path) -> tuple[str, ...]:
    """The dotted name of every absolute import, at any depth, including dynamic ones."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(syntax(path)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module")
                | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name


def top_level(module: str) -> str:
    return module.partition(".")[0]
