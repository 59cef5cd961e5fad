"""Section "Notes on method and paper"."""

from hypercut.paper.protocol import RECONSTRUCTIONS
from hypercut.report.experiments import experiment_settings
from hypercut.report.outcomes import TIE
from hypercut.report.render.page import Section

NOTES = [
    f"{' and '.join(sorted(RECONSTRUCTIONS))} are reconstructions: the full texts of their papers were not available. "
    "Differences between their scores and the published ones say little about the original methods.",
    "The authors of NRSC determine its parameters automatically. Choosing its σ from the grid with the labels is the "
    "protocol of this paper, not theirs; the reading nrsc-sigma chooses it without labels.",
    "Purity, which the paper calls accuracy, is the share of samples in the majority class of their cluster. It never "
    "falls when a cluster is split, so the report also gives matched accuracy (one cluster per class) and the adjusted "
    "Rand index (ARI).",
    f"Averages over noise have {len(experiment_settings('noise'))} levels and averages over outliers "
    f"{len(experiment_settings('outlier'))}, including the clean set (L0), as in the paper. The spread of such an "
    "average is √(Σ s²)/levels, with s the standard deviation over repeats at each level.",
    "The trajectories of the paper were never published. Ours are generated. The gains include them, since the paper "
    "averages over seven sets; the table of all gains also has the gains without them (scope real).",
    f"A difference between two algorithms of at most {TIE} or two standard errors over repeats is a tie.",
]


def section() -> Section:
    """Return the section."""
    return Section("notes", "Notes on method and paper", NOTES)
