"""Find algorithms in the source files, and load one of them.

The files are parsed, not imported: the workflow plans a thousand jobs without loading scikit-learn.
"""

import ast
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hypercut.errors import InputError

PACKAGE = "hypercut.algorithms"
FOLDER = Path(__file__).parent
#: The files of the baselines, which are not algorithms.
BASELINES = ("baselines", "ak_nc.without_k")


@dataclass(frozen=True)
class ClassFacts:
    """Facts about an algorithm, read from literals in the body of its class."""

    name: str  # in tables, e.g. PKO+HSC
    class_name: str
    module: str  # dotted name, or the path of a file
    uses: tuple[str, ...]


def algorithms() -> dict[str, ClassFacts]:
    """Return the algorithms by name, in the order of their files."""
    found: dict[str, tuple[ClassFacts, Path]] = {}
    for path in _public_modules():
        module = f"{PACKAGE}.{path.parent.name if path.name == '__init__.py' else path.stem}"
        classes = named_classes(path, module)
        if not classes:
            raise InputError(
                f"{path}: expected a class with a name, such as name = 'MyCut' in its body, found none. "
                "The names of files that hold no algorithm begin with an underscore."
            )
        for facts in classes:
            if facts.name in found:
                raise InputError(f"{path}: the name {facts.name!r} is taken by {found[facts.name][1]}. Choose another.")
            found[facts.name] = facts, path
    return {name: facts for name, (facts, _) in found.items()}


def baselines() -> dict[str, ClassFacts]:
    """Return the methods that a configuration may list under ``baselines``, by name."""
    classes = [
        facts
        for module in BASELINES
        for facts in named_classes(FOLDER.joinpath(*module.split(".")).with_suffix(".py"), f"{PACKAGE}.{module}")
    ]
    return {facts.name: facts for facts in classes}


def _public_modules() -> Iterable[Path]:
    files = [path for path in FOLDER.glob("*.py") if not path.name.startswith("_") and path.stem not in BASELINES]
    packages = FOLDER.glob("[!_]*/__init__.py")
    return sorted([*files, *packages], key=lambda path: path.relative_to(FOLDER).parts[0].removesuffix(".py"))


def named_classes(path: Path, module: str) -> list[ClassFacts]:
    """Return the classes of a file that define a ``name``."""
    found = []
    for node in syntax_tree(path).body:
        if isinstance(node, ast.ClassDef):
            literals: dict[str, Any] = dict(_literals(node))
            if isinstance(literals.get("name"), str):
                found.append(ClassFacts(literals["name"], node.name, module, tuple(literals.get("uses", ()))))
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
                except ValueError:  # not a literal
                    continue


@cache
def syntax_tree(path: Path) -> ast.Module:
    """Parse a Python file."""
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise InputError(f"{path}, line {error.lineno}: not valid Python: {error.msg}.") from None


def load_class(module: str, name: str) -> type[Any]:
    """Return the class with this ``name`` from a module, given as a dotted name or as the path of a ``.py`` file."""
    loaded = _load_file(module) if module.endswith(".py") else importlib.import_module(module)
    for _, member in inspect.getmembers(loaded, inspect.isclass):
        if member.__module__ == loaded.__name__ and getattr(member, "name", None) == name:
            return member
    raise InputError(f"{module}: expected a class with name = {name!r}, found none.")


def _load_file(path: str) -> Any:
    # Under a prefixed name: a file called random.py must not replace the standard module.
    spec = importlib.util.spec_from_file_location(f"hypercut_method_{Path(path).stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path}: expected a Python file.")
    loaded = sys.modules.get(spec.name)
    if loaded is None or getattr(loaded, "__file__", None) != spec.origin:
        # Last in the path: modules in the same folder can be imported, and none shadows a library.
        sys.path.append(str(Path(path).parent.absolute()))
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = loaded
        spec.loader.exec_module(loaded)
    return loaded
