"""Which source files a piece of work depends on: the package's import graph, read without importing anything.

The workflow names these files as inputs, so that an edit reruns what uses the file and nothing else. Imports are
followed wherever they stand in a module, with one exception: what a package's ``__init__`` imports inside a function is
looked up by name when somebody asks for it (an algorithm, a dataset), and whoever asks names that module too.
"""

import ast
import importlib.util
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hypercut.errors import InputError

PACKAGE = "hypercut"
ROOT = Path(__file__).parent
ALGORITHMS = f"{PACKAGE}.algorithms"
#: Where the methods are that a configuration lists as references.
REFERENCES = (f"{PACKAGE}.references", f"{PACKAGE}.unknown_number")


def closure(modules: Iterable[str], *, ignore: Iterable[str] = ()) -> list[Path]:
    """Return the files of the modules and of all modules of this package that they import, sorted.

    A module is a dotted name or the path of a ``.py`` file. ``ignore`` names modules at which the search stops. The
    package's own ``__init__`` is in no result: it holds the version and look-ups by name, nothing that computes.
    """
    ignored = tuple(ignore)
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module in found or module == PACKAGE or _is_below(module, ignored):
            continue
        path = module_file(module)
        if path is None:  # a name that is no module: a function, a class
            continue
        found[module] = path
        waiting += _imports(path)
        waiting += [parent for parent in _parents(module) if parent != PACKAGE]
    return sorted(set(found.values()))


def module_file(module: str) -> Path | None:
    """Return the file of a module of this package, of any other that Python finds, or given by its path."""
    if module.endswith(".py"):
        return Path(module)
    if module == PACKAGE or module.startswith(f"{PACKAGE}."):
        path = ROOT.joinpath(*module.split(".")[1:])
        candidates = (path.with_suffix(".py"), path / "__init__.py")
        return next((candidate for candidate in candidates if candidate.is_file()), None)
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec is not None and spec.origin else None


@dataclass(frozen=True)
class ClassFacts:
    """What the workflow must know of an algorithm before it runs: literals in the body of its class."""

    name: str
    module: str
    uses: tuple[str, ...]


def algorithms() -> dict[str, ClassFacts]:
    """Return the algorithms of ``hypercut/algorithms`` and the reference methods, by name."""
    files = sorted(path for path in (ROOT / "algorithms").glob("*.py") if not path.name.startswith("_"))
    modules = [f"{ALGORITHMS}.{path.stem}" for path in files] + list(REFERENCES)
    found: dict[str, ClassFacts] = {}
    for module in modules:
        classes = named_classes(module)
        if not classes:
            raise InputError(
                f"{module}: expected a class with a name, such as name = 'MyCut' in its body, found none. "
                "The names of files that hold no algorithm begin with an underscore."
            )
        for facts in classes:
            if facts.name in found:
                raise InputError(f"{facts.module}: the name {facts.name!r} is taken by {found[facts.name].module}.")
            found[facts.name] = facts
    return found


def datasets() -> list[str]:
    """Return the names of the datasets of ``hypercut/datasets``."""
    return sorted(path.stem for path in (ROOT / "datasets").glob("*.py") if not path.name.startswith("_"))


def dataset_options() -> list[str]:
    """Return the names of the options that single datasets have, from the literals in their files."""
    found: set[str] = set()
    for name in datasets():
        for node in ast.walk(_tree(ROOT / "datasets" / f"{name}.py")):
            match node:
                case ast.keyword(arg="options", value=ast.Dict(keys=keys)):
                    found |= {str(key.value) for key in keys if isinstance(key, ast.Constant)}
    return sorted(found)


def named_classes(module: str) -> list[ClassFacts]:
    """Return the classes of a module that give themselves a ``name``."""
    path = module_file(module)
    if path is None or not path.is_file():
        raise InputError(f"{module}: expected a Python module or the path of a .py file, found nothing there.")
    found = []
    for node in _tree(path).body:
        if isinstance(node, ast.ClassDef):
            literals: dict[str, Any] = dict(_literals(node))
            if isinstance(literals.get("name"), str):
                found.append(ClassFacts(literals["name"], module, tuple(literals.get("uses", ()))))
    return found


def _literals(node: ast.ClassDef) -> Iterator[tuple[str, object]]:
    for statement in node.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                try:
                    yield name, ast.literal_eval(value)
                except ValueError:  # computed, not written out
                    continue


@cache
def _tree(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno}: expected Python, but: {error.msg}.") from None


@cache
def _imports(path: Path) -> tuple[str, ...]:
    """Return the names of this package that a file imports: modules, and perhaps members of modules."""
    tree = _tree(path)
    nodes = tree.body if path.name == "__init__.py" else ast.walk(tree)
    found: list[str] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(node, path)
            found += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return tuple(name for name in found if _is_below(name, (PACKAGE,)))


def _absolute(node: ast.ImportFrom, path: Path) -> str:
    """Return the module that a from-import names, a relative one as seen from its file."""
    if not node.level:
        return node.module or ""
    if not path.is_relative_to(ROOT):
        raise InputError(f"{path}, line {node.lineno}: relative imports work inside {PACKAGE} alone. Name the module.")
    package = [PACKAGE, *path.relative_to(ROOT).parent.parts]
    return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])


def _parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))] if not module.endswith(".py") else []


def _is_below(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)
