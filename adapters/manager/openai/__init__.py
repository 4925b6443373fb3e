"""The manager that asks a model behind an OpenAI-compatible endpoint; see `shelf` for what it does and never does."""

from adapters.manager.openai.endpoint import Endpoint, endpoint_problem, facts_of
from adapters.manager.openai.reading import read_answer
from adapters.manager.openai.shelf import OutsideManager

__all__ = ["Endpoint", "OutsideManager", "endpoint_problem", "facts_of", "read_answer"]
