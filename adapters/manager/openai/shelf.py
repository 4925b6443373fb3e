"""The manager outside: the local index chooses what a model may see, the model answers, and nothing else happens.

Only shared material leaves: shared words, and shared nodes near them. Private words are not sent at all. There is no
retry and no other manager in its place; when the model does not answer, that is what is said.
"""

import secrets
from collections.abc import Callable
from typing import Final

from adapters.manager.local import NodeIndex
from adapters.manager.local.coverage import nearest_place
from adapters.manager.local.query import terms
from adapters.manager.local.ranking import homes, own_scores
from adapters.manager.local.words import tokens
from adapters.manager.openai.dialects import body_of
from adapters.manager.openai.endpoint import Endpoint, facts_of
from adapters.manager.openai.form import schema
from adapters.manager.openai.prompt import INSTRUCTIONS, candidates, material
from adapters.manager.openai.transport import post
from kernel.errors import ManagerUnavailableError
from kernel.values.placement import ManagerFacts, Place, PlaceableNode, PlacementRequest, SentQuestion
from kernel.vocabulary import Visibility

_FENCE_BYTES: Final = 16


class OutsideManager:
    """A model behind one configured endpoint; gives a shelf for each worldstate."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.facts: ManagerFacts = facts_of(endpoint)

    def __call__(self) -> "OutsideShelf":
        """Return an empty view of one worldstate."""
        return OutsideShelf(self._endpoint, self.facts)


class OutsideShelf:
    """One worldstate, from which the likeliest shared nodes are offered to a model."""

    def __init__(self, endpoint: Endpoint, facts: ManagerFacts) -> None:
        self._endpoint = endpoint
        self._facts = facts
        self._index = NodeIndex.empty()

    def put(self, node: PlaceableNode) -> None:
        """Add or replace one node."""
        self._index.put(node)

    def remove(self, node_id: str) -> None:
        """Forget one node."""
        self._index.remove(node_id)

    def prepare(self, text: str, visibility: Visibility, selected_node_id: str | None) -> SentQuestion | None:
        """Return the exact question with the receipt of what found no room; None for private words.

        How many private nodes there are is the caller's to add: this shelf need not know of any.
        """
        if visibility is Visibility.PRIVATE:
            return None
        view = self._index.view(Visibility.SHARED)
        query = terms(view, tokens(text))
        scores = own_scores(view, query)
        ranked = homes(view, scores, query, selected=selected_node_id, apart=frozenset())
        shown = candidates(view, ranked, scores, selected=selected_node_id, most=self._endpoint.candidates)
        places = tuple(item.node.id for item in shown.places)
        others = tuple(item.node.id for item in shown.others)
        fence = secrets.token_hex(_FENCE_BYTES)
        body = body_of(
            self._endpoint.dialect,
            self._endpoint.model,
            instructions=INSTRUCTIONS,
            material=material(view, text, shown, selected=selected_node_id, fence=fence),
            schema=schema(places, others),
        )
        return SentQuestion(
            endpoint=self._endpoint.url,
            body=body,
            places=places,
            others=others,
            withheld_private=0,
            withheld_beyond=view.size - len(places) - len(others),
        )

    def begin(self, request: PlacementRequest) -> Callable[[], str]:
        """Return the one call.

        Raises: ManagerUnavailableError when these words must not leave.
        """
        if request.visibility is Visibility.PRIVATE or request.sent is None:
            message = (
                f"nothing was sent: these words are private, and the manager {self._facts.name} works outside this "
                "program; where they fit can be asked once the manager of this installation is the built-in one"
            )
            raise ManagerUnavailableError(message, code="private_not_sent")
        body = request.sent.body
        return lambda: post(self._endpoint, body)

    def nearest(self, text: str, visibility: Visibility) -> Place | None:
        """Return the place whose words cover most of a text, found on this machine."""
        return nearest_place(self._index, text, visibility)
