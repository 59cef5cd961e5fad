"""Scale and corrupt the features of a dataset: all repeats of one setting."""

import argparse

from hypercut.benchmark.code import problem_code
from hypercut.data.features import load_features
from hypercut.run.problems import check_recipe, make_problem, save_problem
from hypercut.steps._program import check_code, run_program, step_parser


def run(args: argparse.Namespace) -> None:
    """Corrupt the features and write the problem."""
    check_code(args.recipe, "corrupt", problem_code())
    features = load_features(args.features)
    check_recipe(args.features, features.provenance["recipe"], args.recipe)
    step, dataset = args.recipe["corrupt"], args.recipe["featurize"]["dataset"]
    options = {"scaling" if name == "features" else name: value for name, value in step["options"].items()}
    problem = make_problem(
        dataset, features, setting=step["setting"], level=step["level"], draws=step["draws"], **options
    )
    save_problem(args.out, problem, args.recipe)


if __name__ == "__main__":
    run_program(run, step_parser(__doc__, "features"))
