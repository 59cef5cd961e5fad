"""The tables of published numbers are complete and consistent."""

import pytest

from hypercut.paper import published


@pytest.mark.parametrize("experiment", published.EXPERIMENTS)
@pytest.mark.parametrize("metric", published.METRICS)
def test_tables_are_whole_and_the_method_is_best_everywhere(experiment, metric):
    scores = published.scores(experiment, metric)
    assert list(scores.index) == published.ALGORITHMS
    assert scores.notna().all(axis=None)
    assert (scores.idxmax() == published.METHOD).all()


@pytest.mark.parametrize("metric", published.METRICS)
def test_the_best_weights_of_table_2_are_table_1(metric):
    best = published.weight_scores(metric).max(axis=1)
    method = published.scores("clean", metric).loc[published.METHOD]
    assert best[method.index].tolist() == method.tolist()


def test_every_dataset_has_its_stated_number_of_samples():
    assert list(published.SAMPLES) == list(published.DATASETS)
