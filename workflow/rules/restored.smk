# Results that were restored from a reference (hypercut restore). Their jobs have no inputs, since problems and
# communities may be missing or new here, and so do not run as long as the results are current.

from base64 import urlsafe_b64encode

from hypercut.benchmark.restored import split_restored


def record_files(path):
    """Yield the files of Snakemake's records of a result: the name in base64, split where it is too long for a file."""
    name = urlsafe_b64encode(str(path).encode()).decode()
    length = os.pathconf(".", "PC_NAME_MAX") - 1
    *folders, last = (name[i : i + length] for i in range(0, len(name), length))
    for kind in ("metadata", "incomplete"):
        yield Path(".snakemake", kind, *(f"@{part}" for part in folders), last)


def restored_results():
    """Return the restored results that are current; delete the others, so that they are computed.

    Records of an earlier computation of the same results are deleted too.
    """
    current, outdated = split_restored(LAYOUT, BENCHMARK)
    if workflow.is_main_process:
        for path in outdated:
            path.unlink(missing_ok=True)
        for path in current:
            for record in record_files(path):
                record.unlink(missing_ok=True)
        if outdated:
            print(
                f"{len(outdated)} restored results are of other code or settings: deleted, to be computed.",
                file=sys.stderr,
            )
    return current


RESTORED = restored_results()


def is_restored(wildcards):
    """Return whether a result is restored and its job is not forced to run (-F, -R)."""
    names = wildcards.dataset, wildcards.setting
    if wildcards.get("variation"):
        path = LAYOUT.variation(*names, wildcards.variation, wildcards.algorithm)
    else:
        path = LAYOUT.cell(*names, wildcards.algorithm)
    step = "vary" if wildcards.get("variation") else "cluster"
    settings = workflow.dag_settings
    forced = settings.forceall or not {step, str(path)}.isdisjoint(settings.forcerun)
    return path in RESTORED and not forced


def unless_restored(inputs):
    """Return an input function that returns nothing for a restored result."""
    return lambda wildcards: [] if is_restored(wildcards) else inputs(wildcards)
