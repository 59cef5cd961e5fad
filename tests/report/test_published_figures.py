"""The section on the published figures shows what was found in them, without any result of ours."""

from hypercut.paper import forensics, published
from hypercut.report.sections.published_figures import size_chart, size_sentence, size_table


def test_the_table_has_every_dataset_with_its_sizes():
    rows = {cells[0].text: [cell.text for cell in cells[1:4]] for cells in size_table().rows}
    assert list(rows) == list(published.DATASETS.values())
    assert rows["USPS"] == ["9298", "465", "8 of 8"]
    notes = {cells[0].text: cells[3].notes for cells in size_table().rows if cells[3].notes}
    assert notes == {"MNIST": ("7 of 8 at 3 × 599",)}


def test_the_sentence_names_the_sizes_that_differ():
    for dataset, size in forensics.indicated().items():
        named = f"{published.DATASETS[dataset]} {size} (stated {published.SAMPLES[dataset]})"
        assert (named in size_sentence()) == (size != published.SAMPLES[dataset])


def test_the_picture_marks_the_best_size_of_every_dataset():
    drawn = size_chart()
    axes = {ax.get_title(loc="left"): ax for ax in drawn.figure.axes}
    assert list(axes) == list(published.DATASETS.values())
    for it in forensics.published_sizes().itertuples():
        ax = axes[published.DATASETS[it.dataset]]
        _, marks, best = ax.lines
        assert best.get_xydata().tolist() == [[it.best, it.fitting]]
        assert ax.get_xticks()[-1] == it.stated
        counts = drawn.data[drawn.data["dataset"] == it.dataset].set_index("samples")
        assert counts.index.tolist() == list(range(1, it.stated + 1))
        assert set(marks.get_ydata()) == set(counts["fitting"])
        assert counts["fitting"][it.best] == it.fitting
        assert counts["expected"][it.best] < it.fitting
