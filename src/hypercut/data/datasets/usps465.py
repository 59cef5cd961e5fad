"""USPS-465: digits of USPS, as many as the published accuracies point to, and a new random subset in each repeat."""

from dataclasses import replace

from hypercut.data.datasets.usps import DATASET as USPS

DATASET = replace(
    USPS,
    name="usps465",
    title="USPS, 465 of 9298 digits, a new subset in each repeat",
    samples=465,
    collected=USPS.samples,
    files_of="usps",
    options={"subset": 465, "resample": True},
)
