"""Finds the route of a request by the fixed part of its path, without trying every route in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from starlette.routing import BaseRoute, Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

SEEN_ROUTE = "walkaround.route"
"""The key in the scope of a list that receives the path of the answering route, if an observer needs it."""


class RouteIndex:
    """Passes a request to the route that matches it; all other requests, and traced ones, to `app`.

    If several of `routes` match a path, the first one answers, as in the router.
    """

    def __init__(self, routes: Sequence[BaseRoute], app: ASGIApp) -> None:
        self.app = app
        exact: defaultdict[str, list[tuple[int, Route]]] = defaultdict(list)
        below: defaultdict[str, list[tuple[int, Route]]] = defaultdict(list)
        for number, route in enumerate(routes):
            if isinstance(route, Route):
                fixed, brace, _ = route.path.partition("{")
                (below if brace else exact)[fixed if brace else route.path].append((number, route))
        # The routes that may match a path depend only on its longest fixed part.
        self._below = {fixed: _prefix_routes(fixed, below) for fixed in below}
        self._exact = {
            path: sorted(routes + _prefix_routes(path, below), key=_order) for path, routes in exact.items()
        }

    def _candidates(self, path: str) -> Sequence[tuple[int, Route]]:
        """The routes that may match `path`, with their numbers, in order."""
        candidates = self._exact.get(path)
        end = path.rfind("/")
        while candidates is None and end >= 0:
            candidates = self._below.get(path[: end + 1])
            end = path.rfind("/", 0, end)
        return candidates or ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        if scope["type"] == "http" and scope.get("fastapi.telemetry") is None:
            for _, route in self._candidates(scope["path"]):
                match, child_scope = route.matches(scope)
                if match is Match.FULL:
                    scope.update(child_scope)
                    if (routes := scope.get(SEEN_ROUTE)) is not None:
                        routes.append(route.path)
                    await route.handle(scope, receive, send)
                    return
        await self.app(scope, receive, send)


def _prefix_routes(path: str, below: Mapping[str, list[tuple[int, Route]]]) -> list[tuple[int, Route]]:
    """The routes whose fixed part is a prefix of `path`, with their numbers, in order."""
    candidates: list[tuple[int, Route]] = []
    end = path.rfind("/")
    while end >= 0:
        candidates += below.get(path[: end + 1], ())
        end = path.rfind("/", 0, end)
    return sorted(candidates, key=_order)


def _order(candidate: tuple[int, Route]) -> int:
    return candidate[0]
