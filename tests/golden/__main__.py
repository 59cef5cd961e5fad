import json
import sys
from pathlib import Path

from tests import golden

if __name__ == "__main__":
    name, folder = sys.argv[1:]
    digests = {"rows": golden.rows, "tables": golden.tables}[name](Path(folder))
    (golden.FOLDER / f"{name}.json").write_text(json.dumps(digests, indent=0) + "\n", encoding="utf-8")
