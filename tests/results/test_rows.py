"""The files of rows: what is written is read, with the origin of every row."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut.errors import InputError
from hypercut.results.rows import (
    LATER,
    ORIGIN_COLUMNS,
    TABLE_SCHEMA,
    check_rows,
    origin_columns,
    read_result,
    read_rows,
    write_table,
)
from hypercut.results.summary import per_sigma
from tests import rows as fake
from tests.rows import ORIGIN


def test_a_result_is_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    path = fake.write_cell(tmp_path, "iris", "clean", "CSC", variation="weights", parameters={"alpha": 0.2})
    assert path == tmp_path / "clusters/iris/clean/weights/CSC.parquet"
    written = fake.cell_rows("iris", "clean", "CSC", variation="weights", parameters={"alpha": 0.2})
    rows, origin = read_result(path, labels=True)
    assert origin == ORIGIN
    assert [labels.tolist() for labels in rows["labels"]] == [row["labels"] for row in written]
    for column in ("repeat", "sigma_factor", "nmi", "parameters", "variation", "status"):
        assert rows[column].tolist() == [row[column] for row in written]
    assert set(rows["data"]) == {"da7a"}
    assert "labels" not in read_rows(path)


def test_a_table_has_the_origin_of_every_row_and_no_labels(tmp_path: Path) -> None:
    other = {**ORIGIN, "recipe": {**ORIGIN["recipe"], "cluster": {"code": "other"}}}
    paths = [
        fake.write_cell(tmp_path, "iris", "clean", name, origin=origin)
        for name, origin in (("CSC", ORIGIN), ("STSC", other))
    ]
    table = pd.concat([read_rows(path) for path in paths], ignore_index=True)
    write_table(tmp_path / "table.parquet", table)
    again, origin = read_result(tmp_path / "table.parquet")
    assert origin == {}
    assert list(again) == TABLE_SCHEMA.names
    pd.testing.assert_frame_equal(again, table[TABLE_SCHEMA.names].replace({None: np.nan}), check_dtype=False)
    assert again.groupby("algorithm")["code"].nunique().tolist() == [1, 1]
    assert again["code"].nunique() == 2


def test_the_code_of_an_origin_is_one_checksum_of_all_steps() -> None:
    columns = origin_columns(ORIGIN)
    assert tuple(columns) == ORIGIN_COLUMNS
    for step in ("featurize", "corrupt", "cluster"):
        edited = {**ORIGIN, "recipe": {**ORIGIN["recipe"], step: {"code": "edited"}}}
        assert origin_columns(edited)["code"] != columns["code"]
    level = {**ORIGIN, "recipe": {**ORIGIN["recipe"], "corrupt": {"level": 9, "code": "c0"}}}
    assert origin_columns(level)["code"] == columns["code"]
    old = {"code": {"cluster": "c1"}, "data": "da7a", "environment": {"numpy": "1"}, "computed": "2026"}
    assert (origin_columns(old)["numpy"], origin_columns(old)["blas"]) == ("1", "unknown")


def test_a_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is missing"):
        read_rows(tmp_path / "no.parquet")


def test_columns_that_old_archives_lack_are_null() -> None:
    rows = fake.table(["iris"], ["clean"], ["CSC"]).assign(**dict.fromkeys(LATER, np.nan))
    check_rows(rows, {})
    means = per_sigma(rows)
    assert means["ami_mean"].isna().all()
    assert means["nmi_mean"].notna().all()
