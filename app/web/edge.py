"""The edge in its one order: what every request passes before it reaches a route.

From the outside in: security headers on whatever is answered; incidents; allowed hosts; the operator's edge;
cross-site writes; the bound of the body. Each refuses before the next one costs anything.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.types import ASGIApp

from app.web.errors_http import Answer, IncidentBoundary, answer_json, install_problem_answers
from app.web.origin import AllowedHosts, CrossSiteWrites, FindOperator, OperatorEdge, PublicOrigin
from app.web.rates import OPERATOR_EXECUTE, TokenBuckets
from app.web.requests import DEFAULT_BOUNDS, BodyBounds, BoundedBody
from app.web.security import SecurityHeaders


@dataclass(frozen=True, slots=True)
class EdgeSettings:
    """What the edge needs to know."""

    origin: PublicOrigin
    find_operator: FindOperator
    bounds: BodyBounds = DEFAULT_BOUNDS
    answer: Answer = answer_json
    clock: Callable[[], float] = time.monotonic
    """Seconds that only go forward; for rates."""


def guarded(app: Starlette, settings: EdgeSettings) -> ASGIApp:
    """Return the application behind the edge; its own refusals answer the same way.

    Call it once, after all routes and middleware of the application are in place.
    """
    install_problem_answers(app, settings.answer)
    inner: ASGIApp = BoundedBody(app, settings.bounds, settings.answer)
    inner = CrossSiteWrites(inner, settings.origin, settings.answer)
    attempts = TokenBuckets(OPERATOR_EXECUTE, settings.clock)
    inner = OperatorEdge(
        inner, settings.origin, settings.find_operator, attempts=attempts, answer=settings.answer
    )
    inner = AllowedHosts(inner, settings.origin, settings.answer)
    return SecurityHeaders(IncidentBoundary(inner, settings.answer))
