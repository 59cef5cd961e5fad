"""Two sets of results are compared beyond the noise of repeats."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hypercut.cli import main
from hypercut.errors import InputError
from hypercut.results.compare import CHANGED, EQUAL_ROWS, WITHIN_NOISE, Side, compare, read_side
from hypercut.results.rows import Origin
from tests import rows as fake
from tests.results.current import archive_results, write_benchmark
from tests.rows import ORIGIN, change_rows

REPEATS = 10


def with_step(step: str, **values) -> Origin:
    """Return an origin whose recipe has other values in a step."""
    return {**ORIGIN, "recipe": {**ORIGIN["recipe"], step: {**ORIGIN["recipe"][step], **values}}}


OTHER_DRAWS = with_step("data", identity="0ther")


def side(name: str, scores: dict[str, np.ndarray], origin=ORIGIN) -> Side:
    """One cell of iris per algorithm, with these scores of its repeats at the only σ."""
    found = {}
    for algorithm, values in scores.items():
        rows = [fake.row("iris", "clean", algorithm, score, repeat=i) for i, score in enumerate(values)]
        found[f"iris/clean/{algorithm}"] = (fake.frame(rows), origin)
    return Side(name, found)


def verdicts(a: Side, b: Side) -> dict[str, str]:
    return compare(a, b).results.set_index("algorithm")["verdict"].to_dict()


@pytest.fixture
def draws() -> np.ndarray:
    """Scores that differ much from draw to draw."""
    return 0.6 + 0.1 * np.random.default_rng(0).standard_normal(REPEATS)


def test_a_small_change_is_found_if_the_draws_are_the_same(draws: np.ndarray) -> None:
    a, b = {"CSC": draws, "PKO+HSC": draws}, {"CSC": draws, "PKO+HSC": draws + 0.01 + 0.001 * np.arange(REPEATS)}
    assert verdicts(side("a", a), side("b", b)) == {"CSC": EQUAL_ROWS, "PKO+HSC": CHANGED}
    found = compare(side("a", a), side("b", b)).changed.iloc[0]
    assert found["difference"] == pytest.approx(0.0145)
    assert found["paired"]
    # So is the same difference in every repeat, which has no noise.
    assert verdicts(side("a", {"CSC": draws}), side("b", {"CSC": draws - 0.002})) == {"CSC": CHANGED}
    # With other draws, the difference is far within their noise.
    assert verdicts(side("a", a), side("b", b, OTHER_DRAWS))["PKO+HSC"] == WITHIN_NOISE


@pytest.mark.parametrize(
    ("origin", "paired"),
    [
        (with_step("cluster", code="edited"), True),
        (with_step("featurize", code="edited"), False),
        (with_step("corrupt", level=0.3), False),
        (OTHER_DRAWS, False),
        ({"code": {}, "data": "da7a", "environment": {}, "computed": ""}, False),  # of hypercut 1.0
    ],
)
def test_repeats_are_paired_if_data_features_and_corruption_agree(
    draws: np.ndarray, origin: Origin, paired: bool
) -> None:
    found = compare(side("a", {"CSC": draws}), side("b", {"CSC": draws - 0.1}, origin))
    assert found.results["paired"].tolist() == [paired]


def test_noise_is_not_a_change() -> None:
    """Of 60 algorithms whose repeats differ by chance, almost none is found: the error rate is over all results."""
    rng = np.random.default_rng(1)
    scores = [{f"A{i}": 0.6 + 0.05 * rng.standard_normal(4) for i in range(60)} for _ in range(2)]
    found = compare(side("a", scores[0]), side("b", scores[1]))
    assert found.count(CHANGED) <= 1
    assert found.count(WITHIN_NOISE) >= 59


def test_equal_results_do_not_hide_a_change() -> None:
    """A change with p of about 0.001 among 12 that differ is found, however many results are equal."""
    rng = np.random.default_rng(2)
    before = {f"A{i}": 0.6 + 0.01 * rng.standard_normal(REPEATS) for i in range(12)}
    after = {name: 0.6 + 0.01 * rng.standard_normal(REPEATS) for name in before}
    after["A0"] += before["A0"].mean() + 0.017 - after["A0"].mean()
    equal = {f"E{i}": np.full(REPEATS, 0.5) for i in range(100)}
    few = compare(side("a", before), side("b", after, OTHER_DRAWS))
    many = compare(side("a", before | equal), side("b", after | equal, OTHER_DRAWS))
    assert 0.05 / 112 < many.results["p"].min() < 0.05 / 12
    assert [list(found.changed["algorithm"]) for found in (few, many)] == [["A0"], ["A0"]]
    assert (many.count(EQUAL_ROWS), many.count(WITHIN_NOISE)) == (100, 11)


def test_one_repeat_is_judged_by_the_noise_of_the_others(draws: np.ndarray) -> None:
    a = {"CSC": draws, "STSC": np.array([0.5]), "NRSC": np.array([0.95])}
    b = {"CSC": draws[::-1], "STSC": np.array([0.55]), "NRSC": np.array([0.01])}
    found = verdicts(side("a", a), side("b", b))
    assert found == {"CSC": WITHIN_NOISE, "STSC": WITHIN_NOISE, "NRSC": CHANGED}
    # If nothing measures the noise, every difference counts.
    single = [side(name, {"STSC": scores["STSC"]}) for name, scores in (("a", a), ("b", b))]
    assert verdicts(*single) == {"STSC": CHANGED}


def test_an_archive_equals_its_results(results: Path, tmp_path: Path) -> None:
    archive_results(results, tmp_path / "archive")
    found = compare(read_side(results), read_side(tmp_path / "archive"))
    assert found.count(EQUAL_ROWS) == len(found.results) == 10  # the sweep has two sets of parameters
    assert list(found.origins()) == []
    assert found.results["paired"].all()


def test_a_failure_counts_as_zero(draws: np.ndarray) -> None:
    failed = [fake.row("iris", "clean", "CSC", None, repeat=i) for i in range(REPEATS)]
    b = Side("b", {"iris/clean/CSC": (fake.frame(failed), ORIGIN)})
    found = compare(side("a", {"CSC": draws}), b).changed.iloc[0]
    assert (found["a"], found["b"]) == (pytest.approx(draws.mean()), 0)


def test_each_side_has_its_own_sigma() -> None:
    def scaled(scores: dict[float, float]) -> Side:
        pairs = [(repeat, *pair) for pair in scores.items() for repeat in (0, 1)]
        rows = [fake.row("iris", "clean", "CSC", score, repeat=i, sigma_factor=s) for i, s, score in pairs]
        return Side("s", {"iris/clean/CSC": (fake.frame(rows), ORIGIN)})

    found = compare(scaled({0.2: 0.5, 0.4: 0.6}), scaled({0.2: 0.8, 0.4: 0.6})).changed.iloc[0]
    assert (found["a"], found["b"]) == (0.6, 0.8)


def test_missing_results_and_other_origins_are_named(draws: np.ndarray) -> None:
    edited = {**with_step("cluster", code="edited"), "environment": {**ORIGIN["environment"], "numpy": "3"}}
    found = compare(side("a", {"CSC": draws, "STSC": draws}), side("b", {"CSC": draws - 0.1, "NRSC": draws}, edited))
    assert list(found.origins()) == ["computed by other code (cluster): 1 result", "numpy: 2.1.0 and 3"]
    for wanted in ("other code (cluster)", "-0.1000", "missing in B", "STSC", "missing in A", "NRSC"):
        assert wanted in str(found)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    for folder in (a, b):
        write_benchmark(folder)
    assert main(["compare", str(a), str(b)]) == 0
    printed = capsys.readouterr().out
    assert "10 equal, 0 differ within noise, 0 changed" in printed
    # The sweep has two sets of parameters.
    assert f"A: {a}, 10 results in 9 result files\n" in printed
    change_rows(b / "clusters/yaleb/clean/CSC.parquet", nmi=0.1)
    out = tmp_path / "out" / "c.csv"
    assert main(["compare", str(a), str(b), "--out", str(out)]) == 1
    assert "1 changed" in capsys.readouterr().out
    assert (pd.read_csv(out)["verdict"] == CHANGED).sum() == 1
    assert main(["compare", str(a), str(tmp_path / "nothing")]) == 2
    assert "found neither" in capsys.readouterr().err


def test_nothing_in_common(draws: np.ndarray) -> None:
    with pytest.raises(InputError, match="no results in common"):
        compare(side("a", {"CSC": draws}), side("b", {"STSC": draws}))
    other = side("b", {"CSC": draws})
    rows, origin = other.files["iris/clean/CSC"]
    changed = Side("b", {"iris/clean/CSC": (pd.DataFrame(rows).assign(parameters='{"k": 1}'), origin)})
    with pytest.raises(InputError, match="no parameters in common"):
        compare(side("a", {"CSC": draws}), changed)


def test_metrics_that_an_old_version_did_not_compute_are_not_compared(draws: np.ndarray) -> None:
    new, old = side("new", {"CSC": draws}), side("old", {"CSC": draws})
    for rows, _ in old.files.values():
        rows["ami"] = np.nan
    assert verdicts(old, new) == {"CSC": EQUAL_ROWS}
    with pytest.raises(InputError, match="lacks ami"):
        compare(old, new, "ami")
