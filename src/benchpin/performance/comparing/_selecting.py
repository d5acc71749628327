"""Choose a profile of a snapshot by a name, and all that were recorded of the same thing."""

from collections import defaultdict

from benchpin.core.errors import InvalidParams
from benchpin.performance.snapshots import Snapshot, route_of, time_index, wall_time_us
from benchpin.performance.values import Profile, ProfileOf

SHORT_HASH = 12


def filled_profiles(snapshot: Snapshot) -> list[ProfileOf]:
    """Return the profiles with at least one call; a crashed request leaves one without."""
    return [it for it in snapshot.profiles if it.profile.functions]


def profile_name(found: ProfileOf) -> str:
    """Return what people call a profile, after the beginning of its hash."""
    name = found.profile.request and found.profile.request.name
    return f"{found.source[:SHORT_HASH]} {name or found.profile.version}"


def select_profile(snapshot: Snapshot, wanted: str | None) -> ProfileOf:
    """Return the profile with this key, URI, command or hash; the longest by default.

    Raises:
        InvalidParams: when there is none, or several.
    """
    if not snapshot.profiles:
        raise InvalidParams(
            "The snapshot has no profile",
            suggestion="Ingest one first: SPX, pprof, speedscope, collapsed stacks or others.",
        )
    filled = filled_profiles(snapshot)
    if not filled:
        names = ", ".join(map(profile_name, snapshot.profiles))
        raise InvalidParams(
            f"No profile of the snapshot has a call: {names}",
            suggestion="Record them again.",
        )
    if wanted is None:
        return max(filled, key=lambda it: (wall_time_us(it.profile) or 0, it.source))
    found = [it for it in filled if it.source.startswith(wanted) or wanted in _names(it)]
    if len(found) == 1:
        return found[0]
    raise InvalidParams(
        f"{len(found) or 'No'} profiles match {wanted!r}",
        suggestion=f"Give one of {', '.join(it.source[:SHORT_HASH] for it in found or filled)}.",
        data={"path": "profile", "known": [profile_name(it) for it in filled]},
    )


def runs_by_subject(snapshot: Snapshot) -> dict[tuple[str, str], list[Profile]]:
    """Return the profiles with stacks by route or command, and by what they measured."""
    found: dict[tuple[str, str], list[Profile]] = defaultdict(list)
    for profile in (it.profile for it in filled_profiles(snapshot)):
        if profile.tree:
            metric = profile.metrics[time_index(profile) or 0]
            found[subject_of(profile), metric].append(profile)
    return found


def subject_of(profile: Profile) -> str:
    """Return the route or command that was profiled; empty if the profile does not name it."""
    return route_of(profile) or (profile.request and profile.request.command) or ""


def _names(found: ProfileOf) -> set[str | None]:
    request = found.profile.request
    return {request.key, request.uri, request.command} if request else set()
