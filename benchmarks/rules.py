"""Print the time of the last run by rule: jobs, their seconds together, and when the first began and the last ended.

``python benchmarks/rules.py [FOLDER]`` reads the records that Snakemake keeps in the folder in which it was run.
"""

import argparse
import json
from pathlib import Path

import pandas as pd


def jobs(folder: Path) -> pd.DataFrame:
    """Return rule, start and end of every job on record; a job with several outputs has several records."""
    files = [path for path in (folder / ".snakemake" / "metadata").rglob("*") if path.is_file()]
    records = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    rows = {
        record["shellcmd"]: (record["rule"], record["starttime"], record["endtime"])
        for record in records
        if record.get("endtime")
    }
    return pd.DataFrame(sorted(rows.values()), columns=["rule", "start", "end"])


def by_rule(table: pd.DataFrame) -> pd.DataFrame:
    """Return one row per rule, in the order in which they began."""
    table = table.assign(start=table["start"] - table["start"].min(), end=table["end"] - table["start"].min())
    table["seconds"] = table["end"] - table["start"]
    groups = table.groupby("rule")
    columns = {
        "jobs": groups.size(),
        "job-seconds": groups["seconds"].sum(),
        "median": groups["seconds"].median(),
        "longest": groups["seconds"].max(),
        "from": groups["start"].min(),
        "to": groups["end"].max(),
    }
    return pd.DataFrame(columns).sort_values("from").round(2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(), help="in which Snakemake was run")
    print(by_rule(jobs(parser.parse_args().folder)).to_string())
