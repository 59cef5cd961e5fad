"""Write down the checksums of source files. What depends on any of them depends on this one file instead."""

import argparse
from hashlib import sha256
from pathlib import Path

from hypercut.files import written_whole
from hypercut.steps._program import run_program


def run(args: argparse.Namespace) -> None:
    """Write one line per file."""
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.as_posix()}\n" for path in args.files]
    with written_whole(args.out) as part:
        part.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    run_program(run, parser)
