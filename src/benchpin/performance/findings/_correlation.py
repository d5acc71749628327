"""Find connections of a slow log, profiles and timed samples that belong to the same request.

No artefact names the others. But a connection that served one request ran during that request, and
its queries took no longer. Most logs have whole seconds, so many connections fit; then it helps
that requests of one route run the same queries, so that all samples of a route must fit connections
of one shape. Where two assignments are possible, no link is made.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from benchpin.core.text import counted
from benchpin.performance.snapshots import Snapshot
from benchpin.performance.values import Connection, PublishedValue, SlowLog

from ._requests import (
    ObservedRequest,
    can_all_be_matched,
    follow_one_another,
    grain_us,
    only_candidates,
    profiled_requests,
    timed_requests,
)

# Matching takes more than linear time.
_MAX_PAIRS = 200_000
Confidence = Literal["high", "medium"]
# Number of events, and how often each repeated class ran.
_Shape = tuple[int, tuple[tuple[str, int], ...]]
# The sample that timed a profile.
_SampleOf = Mapping[str | None, tuple[str, int] | None]
_IN_TIME = "only this connection ran during the request, and it ran during no other request"


class Link(PublishedValue, frozen=True, omit_defaults=True):
    """Records of the same request."""

    route: str
    confidence: Confidence
    """High: nothing else fits, with exact times. Medium: times are whole seconds, or the choice
    depends on the usual queries of the route."""
    reasons: tuple[str, ...]
    profile: str | None = None
    """SHA-256 of the profile's source."""
    connection: int | None = None
    sample: tuple[str, int] | None = None
    """SHA-256 of the timings' source, and the position of the sample in it, from 0."""
    query_time_us: int | None = None
    wall_time_us: int | None = None


class RouteQueries(PublishedValue, frozen=True):
    """The queries of a route's requests."""

    route: str
    events: int
    """Queries in one request."""
    query_time_us: int
    """Mean over the connections."""
    wall_time_us: int
    """Mean over the samples."""
    connections: tuple[int, ...]
    """The candidates for the samples."""
    reasons: tuple[str, ...]


class RequestCorrelation(PublishedValue, frozen=True):
    """Linked records, and how many could not be linked."""

    links: tuple[Link, ...]
    routes: tuple[RouteQueries, ...]
    unlinked_samples: int
    unlinked_profiles: int
    notes: tuple[str, ...]


def correlate(snapshot: Snapshot) -> RequestCorrelation:
    samples, profiles = timed_requests(snapshot), profiled_requests(snapshot)
    links = _both_timed_and_profiled(samples, profiles)
    sample_of = {link.profile: link.sample for link in links}
    profiles = _as_timed(profiles, samples, sample_of)
    routes: list[RouteQueries] = []
    notes, unknown = [], 0
    for log in snapshot.slow_logs:
        pairs = (len(samples) + len(profiles)) * len(log.connections)
        if pairs > _MAX_PAIRS:
            notes.append(f"{pairs:,} pairs of requests and connections are too many to match.")
            continue
        if not log.has_all_connections:
            unknown += 1
            continue
        matcher = _LogMatcher(log, samples, profiles, sample_of)
        found = matcher.sample_links()
        links += found + matcher.profile_links(found)
        routes += matcher.routes()
    if unknown:
        logs = counted(unknown, "slow log")
        notes.append(f"The connections of some events are not known in {logs}.")
    with_queries = [link for link in links if link.connection is not None]
    return RequestCorrelation(
        links=tuple(links),
        routes=tuple(routes),
        unlinked_samples=snapshot.counts.samples - len({it.sample for it in with_queries} - {None}),
        unlinked_profiles=snapshot.counts.profiles
        - len({it.profile for it in with_queries} - {None}),
        notes=tuple(notes),
    )


def _both_timed_and_profiled(
    samples: Sequence[ObservedRequest], profiles: Sequence[ObservedRequest]
) -> list[Link]:
    """Link a profile to the only sample of its route that ran at the same time, and long enough."""
    candidates = [
        [
            place
            for place, sample in enumerate(samples)
            if sample.route == profile.route
            and sample.overlaps(profile)
            and sample.wall_us >= profile.wall_us
        ]
        for profile in profiles
    ]
    return [
        Link(
            route=profile.route,
            confidence="medium",
            reasons=(
                "the route is the same",
                "no other sample of it ran at that time",
                f"its {profile.wall_us} µs fit into the sample's {samples[place].wall_us} µs",
            ),
            profile=profile.profile,
            sample=samples[place].sample,
            wall_time_us=samples[place].wall_us,
        )
        for profile, place in zip(
            profiles, only_candidates(candidates, in_order=False), strict=True
        )
        if place is not None
    ]


def _as_timed(
    profiles: Sequence[ObservedRequest], samples: Sequence[ObservedRequest], sample_of: _SampleOf
) -> list[ObservedRequest]:
    """Give profiles the exact times of the samples that timed them."""
    timed = {sample.sample: sample for sample in samples}
    found = []
    for profile in profiles:
        exact = timed.get(sample_of.get(profile.profile), profile)
        found.append(replace(profile, earliest_us=exact.earliest_us, latest_us=exact.latest_us))
    return found


class _LogMatcher:
    """Matches requests with the connections of one slow log."""

    def __init__(
        self,
        log: SlowLog,
        samples: Sequence[ObservedRequest],
        profiles: Sequence[ObservedRequest],
        sample_of: _SampleOf,
    ) -> None:
        self._sample_of = sample_of
        self._samples = sorted(samples, key=lambda each: (each.earliest_us, each.route))
        self._profiles = profiles
        self._connections = sorted(log.connections, key=lambda each: each.id)
        self._by_shape: dict[_Shape, list[Connection]] = defaultdict(list)
        for connection in self._connections:
            self._by_shape[_shape(connection)].append(connection)
        self._shapes = self._shapes_of_routes()

    def _shapes_of_routes(self) -> dict[str, _Shape]:
        """Find the routes whose samples all fit connections of one shape, and only of one."""
        by_route: dict[str, list[ObservedRequest]] = defaultdict(list)
        for sample in self._samples:
            by_route[sample.route].append(sample)
        possible = {
            route: {shape for shape in self._by_shape if self._fits(shape, samples)}
            for route, samples in by_route.items()
            if len(samples) > 1
        }
        # A settled route takes connections away from the others, which may settle those in turn.
        known: dict[str, _Shape] = {}
        while True:
            settled = {route: min(them) for route, them in possible.items() if len(them) == 1}
            if settled == known:
                return known
            known = settled
            for route, shapes in possible.items():
                possible[route] = {
                    shape
                    for shape in shapes
                    if self._fits(
                        shape,
                        [
                            sample
                            for other, samples in by_route.items()
                            if other == route or known.get(other) == shape
                            for sample in samples
                        ],
                    )
                }

    def _fits(self, shape: _Shape, requests: Sequence[ObservedRequest]) -> bool:
        connections = self._by_shape[shape]
        if len(requests) > len(connections):
            return False
        return can_all_be_matched(_candidates(requests, connections))

    def sample_links(self) -> list[Link]:
        links = []
        candidates = _candidates(self._samples, self._connections)
        by_time = only_candidates(candidates, in_order=False)
        for sample, place in zip(self._samples, by_time, strict=True):
            others = [
                it for it in self._profiles if self._sample_of.get(it.profile) != sample.sample
            ]
            if place is not None and not _is_in_any(self._connections[place], others):
                links.append(_link(sample, self._connections[place], _IN_TIME))
        linked = {link.sample for link in links}
        for shape in sorted(set(self._shapes.values())):
            samples = [
                each
                for each in self._samples
                if self._shapes.get(each.route) == shape and each.sample not in linked
            ]
            links += self._links_by_shape(shape, samples)
        return links

    def _links_by_shape(self, shape: _Shape, samples: Sequence[ObservedRequest]) -> list[Link]:
        connections = self._by_shape[shape]
        places = only_candidates(
            _candidates(samples, connections), in_order=follow_one_another(samples)
        )
        return [
            _link(
                sample,
                connections[place],
                f"all samples of {sample.route} fit connections with these {shape[0]} queries and "
                "no others, and only this one fits the order of time",
                "medium",
            )
            for sample, place in zip(samples, places, strict=True)
            if place is not None
        ]

    def profile_links(self, sample_links: Sequence[Link]) -> list[Link]:
        of_sample = {link.sample: link.connection for link in sample_links}
        taken = set(of_sample.values())
        free = [each for each in self._connections if each.id not in taken]
        candidates = _candidates(self._profiles, free)
        by_time = only_candidates(candidates, in_order=False)
        links = []
        for profile, place, fitting in zip(self._profiles, by_time, candidates, strict=True):
            linked = of_sample.get(self._sample_of.get(profile.profile))
            if linked is not None:
                (connection,) = (each for each in self._connections if each.id == linked)
                links.append(_link(profile, connection, "a sample that timed it is linked"))
            elif place is not None and not _is_in_any(free[place], self._samples):
                links.append(_link(profile, free[place], _IN_TIME))
            elif profile.route in self._shapes:
                links += self._profile_by_shape(profile, [free[each] for each in fitting])
        return links

    def _profile_by_shape(
        self, profile: ObservedRequest, fitting: Sequence[Connection]
    ) -> list[Link]:
        shape = self._shapes[profile.route]
        alike = [each for each in fitting if _shape(each) == shape]
        rivals = [
            other
            for other in (*self._profiles, *self._samples)
            if other is not profile
            and self._shapes.get(other.route, shape) == shape
            and any(other.can_contain(each) for each in alike)
        ]
        if len(alike) != 1 or rivals:
            return []
        reason = (
            f"of the connections at that time only this one has the {shape[0]} queries of "
            f"timed samples of {profile.route}"
        )
        return [_link(profile, alike[0], reason, "medium")]

    def routes(self) -> list[RouteQueries]:
        found = []
        for route, shape in sorted(self._shapes.items()):
            samples = [each for each in self._samples if each.route == route]
            connections = [each for each in self._by_shape[shape] if _is_in_any(each, samples)]
            reason = f"all {len(samples)} samples fit connections with these queries, and no others"
            found.append(
                RouteQueries(
                    route=route,
                    events=shape[0],
                    query_time_us=sum(it.query_time_us for it in connections) // len(connections),
                    wall_time_us=sum(it.wall_us for it in samples) // len(samples),
                    connections=tuple(each.id for each in connections),
                    reasons=(reason,),
                )
            )
        return found


def _shape(connection: Connection) -> _Shape:
    """Return what connections of one route have in common: their queries."""
    asked = sorted((each.query_id, each.count) for each in connection.repetitions)
    return connection.events, tuple(asked)


def _candidates(
    requests: Sequence[ObservedRequest], connections: Sequence[Connection]
) -> list[list[int]]:
    return [
        [place for place, each in enumerate(connections) if request.can_contain(each)]
        for request in requests
    ]


def _is_in_any(connection: Connection, requests: Sequence[ObservedRequest]) -> bool:
    return any(request.can_contain(connection) for request in requests)


def _link(
    request: ObservedRequest, connection: Connection, reason: str, at_most: Confidence = "high"
) -> Link:
    is_exact = request.is_exact and grain_us(connection.first_seen_us or 0) == 1
    return Link(
        route=request.route,
        confidence=at_most if is_exact else "medium",
        reasons=(
            f"its queries took {connection.query_time_us} of {request.wall_us} µs",
            reason,
        ),
        profile=request.profile,
        connection=connection.id,
        sample=request.sample,
        query_time_us=connection.query_time_us,
        wall_time_us=request.wall_us,
    )
