"""Which code a job runs: the modules that decide its result, and a fingerprint of their code.

The import graph is read from the source files without importing them. Every ``import`` counts, even one inside a
function. Modules that are looked up by name at run time (methods, datasets) are passed as arguments.

A fingerprint ignores comments, docstrings and formatting.
"""

import ast
import importlib.util
import site
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from hypercut.algorithms import EXPORTS, _registry
from hypercut.algorithms._registry import ClassFacts, syntax_tree
from hypercut.errors import InputError

PACKAGE = "hypercut"
ROOT = Path(__file__).parents[1]
ALGORITHMS = f"{PACKAGE}.algorithms"
DATASETS = f"{PACKAGE}.data.datasets"
OWN_DATA = f"{PACKAGE}.data.own"
#: Modules and packages that decide no result: they print, check, record, download or supervise. An edit of them reruns
#: nothing. If an edit changes a result after all, raise RUNNER_VERSION of :mod:`hypercut.benchmark.recipe` by hand.
NEUTRAL = (
    PACKAGE,  # the version, and lazy imports
    ALGORITHMS,  # lazy imports
    f"{ALGORITHMS}._docs",
    f"{ALGORITHMS}._registry",
    f"{PACKAGE}.benchmark",
    f"{PACKAGE}.data.sources",  # the content that they deliver is checked
    f"{PACKAGE}.data.store",
    f"{PACKAGE}.results",
    *(f"{PACKAGE}.{name}" for name in ("errors", "files", "progress")),
    f"{PACKAGE}.run",
    *(f"{PACKAGE}.run.{name}" for name in ("failures", "jobs", "machine", "tasks", "worker")),
)

#: Modules that unpack and read raw files or compute features, but generate no data.
BYTE_MOVERS = tuple(f"{PACKAGE}.data.{name}" for name in ("archives", "collection", "dataset", "features", "tables"))

#: Generators of stand-ins: they decide the data of a stand-in, not the features of real data.
STAND_INS = f"{PACKAGE}.data.standins"

#: Members of the package of algorithms that it imports on first use.
_EXPORTED = {f"{ALGORITHMS}.{name}": module for name, module in EXPORTS.items()}


@dataclass(frozen=True)
class _Module:
    name: str  # dotted; for a file given by its path, the name of the file
    path: Path
    root: Path | None = None  # for a module outside hypercut: the folder in which its imports are looked up
    package: str = ""  # the package whose modules count as its own; empty if all modules of the folder do


def closure(modules: Iterable[str], *, ignore: Iterable[str] = ()) -> dict[str, Path]:
    """Return name → file of the modules and of everything they import, sorted by name.

    A module is a dotted name or the path of a ``.py`` file. The search follows modules of hypercut and, from a module
    outside hypercut, those of its own folder or package. It stops at modules in ``ignore`` and at NEUTRAL ones.
    """
    below = tuple(ignore)
    found: dict[str, Path] = {}
    waiting = [module for name in modules if (module := _find(name))]
    while waiting:
        module = waiting.pop()
        if module.name in found or _is_below(module.name, below) or module.name in NEUTRAL:
            continue
        found[module.name] = module.path
        waiting += _imported(module)
    return dict(sorted(found.items()))


def fingerprint(modules: Iterable[str], *, ignore: Iterable[str] = (), files: Iterable[Path] = ()) -> str:
    """Return a checksum of the code of the modules and their imports, and of the bytes of further files."""
    digest = sha256()
    for name, path in closure(modules, ignore=ignore).items():
        digest.update(f"{name} {_code_digest(path)}\n".encode())
    for path in files:
        digest.update(f"{path.name} {sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


@cache
def acquisition_code(module: str) -> str:
    """Return the fingerprint of the code that decides the raw data of a dataset: its module and generators."""
    return fingerprint([module], ignore=BYTE_MOVERS)


@cache
def features_code(module: str) -> str:
    """Return the fingerprint of the code that decides the features of a dataset."""
    return fingerprint([f"{PACKAGE}.data.featurizing", DATASETS, module], ignore=(STAND_INS,))


@cache
def problem_code() -> str:
    """Return the fingerprint of the code that corrupts data."""
    return fingerprint([f"{PACKAGE}.run.problems"])


@cache
def overclustering_code() -> str:
    """Return the fingerprint of the code that over-clusters."""
    return fingerprint([f"{PACKAGE}.run.overclusterer"])


@cache
def clustering_code(module: str) -> str:
    """Return the fingerprint of the code that clusters with the method of a module, and evaluates the labels."""
    return fingerprint([f"{PACKAGE}.run.clustering", module])


@cache
def sigma_choice_code() -> str:
    """Return the fingerprint of the code that chooses the best σ of a cell, for readings that over-cluster there."""
    return fingerprint([f"{PACKAGE}.results.summary"], ignore=(f"{PACKAGE}.results.rows",))


def step_code(step: str) -> str:
    """Return the fingerprint of a step after the clusterings, and of the files of its packages that are not Python."""
    packages = {"report": ("report", "paper")}.get(step, ())
    files = [
        path for name in packages for path in sorted((ROOT / name).rglob("*.*")) if path.suffix not in (".py", ".pyc")
    ]
    return fingerprint([f"{PACKAGE}.steps.{step}"], files=files)


def _find(name: str) -> _Module | None:
    """Return a module, given as a dotted name or as the path of a file; None if there is none."""
    if name.endswith(".py"):
        return _Module(Path(name).name, Path(name), Path(name).parent)
    if _is_below(name, (PACKAGE,)):
        path = _in_folder(ROOT.parent, name)
        return _Module(name, path) if path else None
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return None
    path = Path(spec.origin)
    depth = name.count(".") + (path.name == "__init__.py")
    in_package = depth > 0 or path.parents[depth] in _library_folders()
    return _Module(name, path, path.parents[depth], name.partition(".")[0] if in_package else "")


def module_file(module: str) -> Path | None:
    """Return the file of a module, or None."""
    found = _find(module)
    return found.path if found else None


def _in_folder(folder: Path, name: str) -> Path | None:
    """Return the file of a dotted name below a folder."""
    path = folder.joinpath(*name.split("."))
    candidates = (path.with_name(f"{path.name}.py"), path / "__init__.py")
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _imported(module: _Module) -> Iterator[_Module]:
    """Yield the modules of hypercut and of its own folder or package that a module imports, and its parent packages."""
    parts = [] if module.name.endswith(".py") else module.name.split(".")
    parents = [".".join(parts[:end]) for end in range(1, len(parts))]
    for imported in [*_imports(module.path, module.name), *parents]:
        name = _EXPORTED.get(imported, imported)
        if _is_below(name, (PACKAGE,)):
            found = _find(name)
            if found:
                yield found
        elif module.root is not None and (not module.package or _is_below(name, (module.package,))):
            path = _in_folder(module.root, name)
            if path:
                yield _Module(name, path, module.root, module.package)


@cache
def _library_folders() -> frozenset[Path]:
    """Return the folders of installed packages. Modules there do not belong to their neighbours."""
    paths = {*sysconfig.get_paths().values(), *site.getsitepackages(), site.getusersitepackages()}
    return frozenset(map(Path, paths))


def named_classes(module: str) -> list[ClassFacts]:
    """Return the classes of a module or ``.py`` file that have a ``name``."""
    path = module_file(module)
    if path is None or not path.is_file():
        raise InputError(f"{module}: no such Python module or .py file.")
    return _registry.named_classes(path, module)


@cache
def _code_digest(path: Path) -> str:
    return sha256(" ".join(_words(syntax_tree(path))).encode()).hexdigest()


def _words(node: object) -> Iterator[str]:
    """Yield a syntax tree as words, without statements that have no effect.

    The output of :func:`ast.dump` and :func:`ast.unparse` differs between versions of Python. Empty fields are left
    out, since later versions add some.
    """
    if isinstance(node, ast.AST):
        yield type(node).__name__
        for name in node._fields:
            value = getattr(node, name, None)
            if value is not None and value != []:
                yield name
                yield from _words(value)
    elif isinstance(node, list):
        yield "["
        for member in node:
            # A statement that is a constant, such as a docstring, has no effect.
            if not (isinstance(member, ast.Expr) and isinstance(member.value, ast.Constant)):
                yield from _words(member)
        yield "]"
    else:
        yield repr(node)


@cache
def _imports(path: Path, module: str) -> tuple[str, ...]:
    """Return the names that a file imports: modules, and members of modules."""
    found: list[str] = []
    for node in ast.walk(syntax_tree(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(node, path, module)
            found += [source, *(f"{source}.{alias.name}" for alias in node.names)]
    return tuple(dict.fromkeys(found))


def _absolute(node: ast.ImportFrom, path: Path, module: str) -> str:
    """Return the absolute name of the module of a from-import."""
    if not node.level:
        return node.module or ""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    if module.endswith(".py") or node.level > len(package):
        raise InputError(f"{path}, line {node.lineno}: relative imports need a package. Use an absolute import.")
    return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])


def _is_below(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)
