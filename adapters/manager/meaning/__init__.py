"""An optional extra of the local manager: nearness in meaning, by a small sentence model on this machine."""

from adapters.manager.meaning.model import MODEL, Encoder, load_encoder
from adapters.manager.meaning.shelf import MeaningManager

__all__ = ["MODEL", "Encoder", "MeaningManager", "load_encoder"]
