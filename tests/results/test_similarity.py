"""The similarity matrices of ORL: computed at the σ of PKO+HSC, and read back as written."""

import numpy as np
import pytest

from hypercut.data.features import Features
from hypercut.errors import InputError
from hypercut.results.matrices import NAMES, load_matrices, save_matrices
from hypercut.results.similarity import similarity_matrices
from tests import rows as fake

CLASSES = np.array([2, 0, 1] * 8)
FEATURES = Features(np.eye(3)[CLASSES] + 0.3 * np.random.default_rng(0).random((24, 3)), CLASSES, {})
PARAMETERS = '{"alpha": 0.5, "beta": 0.3}'


def table(**given):
    return fake.frame(
        [
            fake.row("orl", "clean", "PKO+HSC", 0.6, sigma_factor=0.2, **given),
            fake.row("orl", "clean", "PKO+HSC", 0.8, sigma_factor=0.6, **given),
            fake.row("orl", "clean", "CSC", 0.9, sigma_factor=1.0),
        ]
    )


def test_at_the_oracle_sigma_and_weights():
    found = similarity_matrices(table(parameters=PARAMETERS), FEATURES)
    assert (found.sigma_factor, found.alpha, found.beta) == (0.6, 0.5, 0.3)
    assert found.classes.tolist() == sorted(CLASSES)
    a, b, c = (found.similarities[symbol] for symbol in "ABC")
    np.testing.assert_allclose(found.similarities["S"], 0.5 * a + 0.3 * b + 0.2 * c)
    np.testing.assert_allclose(found.similarities["AB"], (0.5 * a + 0.3 * b) / 0.8)
    assert all(0 < found.alignment(symbol) <= 1 for symbol in NAMES)


def test_the_file_reads_back(tmp_path):
    found = similarity_matrices(table(), FEATURES)
    assert (found.alpha, found.beta) == (0.6, 0.2)  # the paper's of ORL
    path = tmp_path / "similarity.npz"
    save_matrices(path, found)
    again = load_matrices(path)
    assert (again.sigma_factor, again.alpha, again.beta) == (found.sigma_factor, found.alpha, found.beta)
    assert all(np.array_equal(again.similarities[symbol], found.similarities[symbol]) for symbol in NAMES)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match=r"similarity\.npz is damaged"):
        load_matrices(path)


def test_without_the_cell():
    with pytest.raises(InputError, match="orl · clean · PKO\\+HSC"):
        similarity_matrices(table()[lambda rows: rows["algorithm"] == "CSC"], FEATURES)
