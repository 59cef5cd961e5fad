"""What the sections of the page say before their tables and figures."""

from hypercut.benchmark.rows import FAILURES as FAILED
from hypercut.benchmark.rows import Status

CLAIMS = [
    "Each claim has a criterion that does not depend on the outcome. All are judged under the paper's protocol, σ "
    "chosen with the labels, on the paper's datasets that are real (or the generated trajectories), complete, and run "
    "at all levels. What was not run never decides: then a claim stays undecided unless what was run contradicts it.",
]
GAINS = [
    "The average gain of PKO+HSC over X is 100·(Σ PKO+HSC / Σ X − 1) over datasets: a ratio of means, as in the paper. "
    "Its interval comes from drawing the datasets again with replacement, 10 000 times with a fixed seed. It tells how "
    "much the gain hangs on the choice of datasets, not on the repeats, and with so few sets it is itself rough.",
    "Where a set of the paper's is missing, a stand-in, a subset or not run at all levels, our gain is over the "
    "others, and so is the published gain beside it.",
]
TABLE = [
    "First line: our mean ± standard deviation over repeats. Then the paper's figure and the difference: blue and ▲ "
    "where ours is higher, orange and ▼ where it is lower, stronger the larger. Stand-ins, subsets and averages over "
    "fewer levels than the paper's have no comparison. Click a heading to sort.",
]
BEYOND = [
    "AK+NC has one setting for all data and uses no labels, neither for its scale nor for its metric, and without K "
    "not for the number of clusters. Beside it stand what scikit-learn offers, and the paper's method with σ chosen by "
    "the labels, which nobody has, and without them. docs/BEYOND.md derives it.",
]
CURVES = [
    "PKO+HSC is the thick line; every algorithm has the same colour and marker in all figures; references are dashed, "
    "and random labels are dotted: purity and NMI of chance are not zero.",
]
SELECTION = [
    "The paper chooses σ by the true labels, for each algorithm, dataset and level: an oracle that clustering does not "
    "have. Beside it, σ is chosen as the one at which the cluster of a near neighbour tells most of a sample's own.",
]
FAILURES = [
    f"A failed clustering ({', '.join(status for status in Status if status in FAILED)}) counts as 0 in every metric "
    "and is part of the average, which lowers the chance of a σ at which an algorithm fails to be chosen. Degenerate "
    "ones (the graph has at least K components, or there are at most K distinct samples, and these are the clusters) "
    "and those that did not converge count with the labels they returned.",
]
NOTES = [
    "NRSC and RWDSM are reconstructions: the full texts of their papers were not at hand. Their figures are those of "
    "the reconstructions, and differences from the published ones say little about the original methods.",
    "Accuracy is the paper's: purity, the share of samples in the majority class of their cluster. It never falls when "
    "a cluster is split. Matched accuracy (one cluster to one class) and the adjusted Rand index stand beside it.",
    "Averages over noise run over eleven levels and over outliers over four, the clean set (L0) being one of them, as "
    "in the paper. The spread of such an average is √(Σ s²)/levels, s the deviation over repeats at each level.",
    "The trajectories of the paper were never published. Ours are generated; they are in the gains, as the paper "
    "averages over seven sets, and the table of all gains has the same without them (scope real).",
    "Of the paper's 42 printed gains, 39 follow from its own tables within rounding. Three do not: on clean data in "
    "accuracy over NRSC (printed 25.55, from the table 25.24) and STSC (21.58, 21.52), and under noise in accuracy "
    "over NRSC (35.19, 35.15).",
    "The nine USPS accuracies of the paper's Table 2 are all multiples of 1/465: they most likely come from a subset "
    "of 465 digits (5 % of 9298), not from all 9298 as the paper says. The option subset: 465 of usps has that.",
    "A difference between two algorithms counts as a tie within 0.01 or within two standard errors over repeats.",
]
