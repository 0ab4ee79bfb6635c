"""Asks the package index and brings a release from it into the cache."""

from __future__ import annotations

import shutil
from bisect import bisect_left
from contextlib import contextmanager
from typing import TYPE_CHECKING

from analyzer.errors import EnvironmentProblem, WrongUse
from retire_model.locks import exclusive_lock
from retire_model.sources.archives import unpack_source_distribution, unpack_wheel
from retire_model.sources.cache_layout import files_in, manifest_in
from retire_model.sources.known_versions import write_known_versions
from retire_model.sources.manifests import make_manifest, write_manifest
from retire_model.sources.package_index import Form, PackageIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from packaging.version import Version

    from retire_model.sources.cache_layout import CacheLayout
    from retire_model.sources.package_index import Offer, Offers, Progress

# A wheel of vLLM would lack the documentation and the tests; one of Transformers is all that is needed.
_FORMS = {"vllm": Form.SOURCE, "transformers": Form.WHEEL}


def fetch_release(layout: CacheLayout, name: str, version: Version, progress: Progress | None) -> Path:
    """Bring a release into the cache, in place of a damaged one; the folder of its files.

    Raises `WrongUse` for a version that the index does not have, `EnvironmentProblem` where it does not
    answer, what it sends is not a release, or the cache cannot be written.
    """
    with _writing(layout.folder), PackageIndex() as index:
        offers = _ask(layout, index, name)
        offer = offers.of(version)
        if offer is None:
            raise _not_offered(layout, name, version, offers)
        with exclusive_lock(layout.lock(name, offer.version)):
            # Another process may have brought it while this one waited.
            return layout.intact(name, version) or _fetch(layout, index, name, offer, progress)


def ask_versions(layout: CacheLayout, name: str) -> list[Version]:
    """The versions of `name` that the index has, without the yanked ones; they are kept in the cache.

    Raises `EnvironmentProblem` where a source of packages does not answer: the list would have holes.
    """
    with _writing(layout.folder), PackageIndex() as index:
        offers = _ask(layout, index, name)
    if offers.silent or not offers.offers:
        raise _unreachable(layout, name, f"cannot ask the package index for the releases of {name}", offers)
    return _standing(offers)


def nearest(version: Version, versions: Iterable[Version], count: int = 4) -> list[Version]:
    """The `count` versions around `version`, lowest first."""
    ordered = sorted(versions)
    start = max(0, min(bisect_left(ordered, version) - count // 2, len(ordered) - count))
    return ordered[start : start + count]


def _ask(layout: CacheLayout, index: PackageIndex, name: str) -> Offers:
    offers = index.offers(name, _FORMS[name])
    if offers.offers and not offers.silent:
        write_known_versions(layout.known_versions(name), _standing(offers))
    return offers


def _standing(offers: Offers) -> list[Version]:
    return [offer.version for offer in offers.offers if not offer.yanked]


def _fetch(layout: CacheLayout, index: PackageIndex, name: str, offer: Offer, progress: Progress | None) -> Path:
    """Unpack beside and rename: the release is there whole or not at all. The lock is held."""
    beside = layout.partial(name, offer.version)
    release, place = beside / "release", layout.release(name, offer.version)
    shutil.rmtree(beside, ignore_errors=True)
    try:
        archive = index.download(offer, beside / "archive", progress)
        if _FORMS[name] is Form.SOURCE:
            unpack_source_distribution(archive, files_in(release))
        else:
            unpack_wheel(archive, files_in(release))
        write_manifest(make_manifest(archive, files_in(release)), manifest_in(release))
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            place.rename(beside / "damaged")
        release.rename(place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return files_in(place)


def _not_offered(layout: CacheLayout, name: str, version: Version, offers: Offers) -> EnvironmentProblem | WrongUse:
    if offers.silent or not offers.offers:
        problem = f"cannot bring {name}=={version} from the package index"
        return _unreachable(layout, name, problem, offers)
    around = ", ".join(map(str, nearest(version, (offer.version for offer in offers.offers))))
    return WrongUse(f"the package index has no {name}=={version}", f"The nearest releases are {around}.")


def _unreachable(layout: CacheLayout, name: str, problem: str, offers: Offers) -> EnvironmentProblem:
    reason = offers.silent[0] if offers.silent else f"no source in pip's configuration has {name}"
    cached = ", ".join(map(str, layout.cached_versions(name))) or "none"
    return EnvironmentProblem(
        f"{problem}: {reason}",
        f"Check the network and `pip config list`. Releases of {name} in the cache: {cached}.",
    )


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EnvironmentProblem(
            f"the cache {folder} cannot be used: {error.strerror or error}",
            "Set RETIRE_MODEL_CACHE to a folder that can be written and has room.",
        ) from error
