"""No password, token or part of one is in anything that hypercut prints or stores."""

import string
from urllib.parse import quote

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from hypercut.errors import redact, redact_address, without_secrets

PRINTABLE = st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"])
PASSWORDS = st.text(st.sampled_from(string.punctuation + " ab1") | PRINTABLE, min_size=3, max_size=20)
SCHEMES = st.sampled_from(["http", "https", "postgresql+psycopg2", "s3", "mysql"])
SENTENCES = st.sampled_from(
    [
        "{}",
        "{}: could not be reached.",
        "Download of {} failed: see https://example.org/help or write to me.",
        "Could not open sqlite:////home/me@work/mlflow.db after '{}' (status 503)",
        'InvalidURL("{}") for me@example.org',
    ]
)
LEFT = 3
"""characters of a password that are too many"""


def parts(text: str) -> set[str]:
    return {text[start : start + LEFT] for start in range(len(text) - LEFT + 1)}


@given(PASSWORDS, SCHEMES, SENTENCES, st.booleans())
@example("pa/ss", "http", "{}", False)
@example("80/x@y", "http", "{}: could not be reached.", False)
@example("p@ss:w#rd?", "https", "{}", False)
@example("a b'c\"d", "https", "{}", False)
@example("[::1", "http", "{}", False)
@example("sqlite:///x", "http", "{}", False)
def test_nothing_of_a_password_is_left(password: str, scheme: str, sentence: str, encoded: bool) -> None:
    assume(password.isprintable())
    written = quote(password, safe="") if encoded else password
    text = sentence.format(f"{scheme}://somebody:{written}@host:5000/path")
    harmless = parts(redact(sentence.format(f"{scheme}://***@host:5000/path"))) | parts(f"{scheme}://***@host")
    assert not (parts(password) | parts(written)) & parts(redact(text)) - harmless
    assert not (parts(password) | parts(written)) & parts(redact_address(f"{scheme}://somebody:{written}@h")) - harmless


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("http://me:hunter2@host/x", "http://***@host/x"),
        ("http://me:hun/ter2@host/x", "http://***@host/x"),
        ("https://hunter2@host/x", "https://***@host/x"),
        ("https://hun/ter2@host/x", "https://***@host/x"),
        ("http:///me:hunter2@host", "http://***@host"),
        ("postgresql://u:hunter2@db:5432/m failed", "postgresql://***@db:5432/m failed"),
        ("me:hunter2@host:5000 failed", "***@host:5000 failed"),
        ("URI='me:hun/ter2@host'", "URI='***@host'"),
        ("https://host/a?token=hunter2&b=1", "https://host/a?token=***&b=1"),
        ("https://host/a?sig=hunter2&b=1", "https://host/a?sig=***&b=1"),
        ("MLFLOW_TRACKING_PASSWORD=hunter2", "MLFLOW_TRACKING_PASSWORD=***"),
        ('{"password": "hunter2", "b": 1}', '{"password": "***", "b": 1}'),
        ("Authorization: Bearer hunter2hunter2", "Authorization: Bearer ***"),
        ("sqlite:////home/me/mlflow.db", "sqlite:////home/me/mlflow.db"),
        ("sqlite:////home/me@work/mlflow.db", "sqlite:////home/me@work/mlflow.db"),
        ("http://host:5000/#/experiments/1", "http://host:5000/#/experiments/1"),
        ("Status: write to me@example.org", "Status: write to me@example.org"),
        ("see\nhttp://me:hunter2@host\nor me@example.org", "see\nhttp://***@host\nor me@example.org"),
    ],
)
def test_redaction(text: str, clean: str) -> None:
    assert redact(text) == clean


@pytest.mark.parametrize("address", ["me:hun ter2@host", "me:hun\nter2@host", "http://me:hun\nter2@host"])
def test_an_address_alone_is_masked_whatever_is_in_it(address: str) -> None:
    assert redact_address(address).removeprefix("http://") == "***@host"


def test_configuration_without_secrets() -> None:
    config = {
        "data": {"mirror": "https://me:hun/ter2@host/data", "root": "data", "tries": 3},
        "datasets": {"mine": {"path": "me@work/x.csv", "weights": [0.4, None]}},
        "also": ["https://host/x?token=hunter2", ("me:hunter2@host", True)],
    }
    before = repr(config)
    clean = without_secrets(config)
    assert clean == {
        "data": {"mirror": "https://***@host/data", "root": "data", "tries": 3},
        "datasets": {"mine": {"path": "me@work/x.csv", "weights": [0.4, None]}},
        "also": ["https://host/x?token=***", ["***@host", True]],
    }
    assert repr(config) == before
