"""What the files of datasets declare, read from their source without importing them, and which data are at hand."""

import ast
import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeGuard

from hypercut.algorithms._registry import syntax_tree
from hypercut.benchmark import code
from hypercut.errors import InputError

FOLDER = code.ROOT / "data" / "datasets"


def datasets() -> list[str]:
    """Return the names of the datasets of ``hypercut/data/datasets``."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if not path.name.startswith("_"))


def options(dataset: str) -> dict[str, bool | int]:
    """Return the options that the file of a dataset declares, each with its default."""
    found: dict[str, bool | int] = fact(dataset, "options") or {}
    return found


def is_packaged(dataset: str) -> bool:
    """Return whether a dataset is generated or comes with a package of a registry, and is thus available anywhere."""
    for node in ast.walk(syntax_tree(FOLDER / f"{dataset}.py")):
        match node:
            case ast.keyword(arg="sources", value=sources):
                names = {call.func.id for call in ast.walk(sources) if _is_named_call(call)}
                return not names.isdisjoint({"Package", "Generated", "bundled"})
    return False


def published_identity(dataset: str) -> dict[str, str]:
    """Return kind and identity of a dataset before it is acquired."""
    content = fact(dataset, "content_sha256")
    if content:
        return {"kind": "real", "identity": content}
    return {"kind": "generated", "identity": code.acquisition_code(f"{code.DATASETS}.{dataset}")}


def stored_identity(folder: Path) -> dict[str, str] | None:
    """Return kind and identity of the data in a folder, from its manifest; None if there is none."""
    try:
        manifest: Mapping[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        files = "".join(f"{file['path']} {file['sha256']}\n" for file in manifest["files"])
        identity = manifest["content"] or manifest["code"] or sha256(files.encode()).hexdigest()
        return {"kind": manifest["kind"], "identity": identity}
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{folder / 'manifest.json'} is damaged ({error!r}). Get the dataset again.") from None


def _is_named_call(node: ast.AST) -> TypeGuard[Any]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


@cache
def fact(dataset: str, field: str) -> Any:
    """Return the value of a field, which must be a literal, in the file of a dataset; None if it is not there."""
    for node in ast.walk(syntax_tree(FOLDER / f"{dataset}.py")):
        match node:
            case ast.keyword(arg=declared, value=value) if declared == field:
                try:
                    return ast.literal_eval(value)
                except ValueError:
                    raise InputError(f"{dataset}.py: {field} must be written out, without names.") from None
    return None
