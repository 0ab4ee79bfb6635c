"""What `--remove`, `--last-version` and `--plugin` together ask for, and what does not go with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import WrongUse
from codemods.last_version import given_version, last_version, refuse_later_version
from codemods.plan import Plugin, Remove
from codemods.plugin_address import plugin_address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from analyzer.engine.engine_tree import EngineTree


def refuse_mixed_outcomes(remove: bool, version: str | None, plugin: str | None) -> None:
    """Raise `WrongUse` for options that do not go together, before anything is read."""
    if remove and plugin is not None:
        raise WrongUse("--remove and --plugin exclude each other", "Choose what is to become of the model.")
    if version is not None:
        if not remove:
            raise WrongUse("--last-version goes with --remove", "Add --remove, or leave it out.")
        given_version(version)
    if plugin is not None:
        plugin_address(plugin)


def refuse_options_without_effect(
    gives_up: bool, accept: Sequence[str], with_tests: bool, write: bool, copy_to: Path | None, to_index: bool
) -> None:
    """Raise `WrongUse` for an option that what is asked for besides leaves nothing to do, before anything is read."""
    if gives_up and accept:
        raise WrongUse(
            "--accept goes with a model that the backend is to serve", "What is given up has no loss to accept."
        )
    if gives_up and with_tests:
        raise WrongUse(
            "--with-tests goes with a model that the backend is to serve", "What is given up cannot be tested."
        )
    if copy_to is not None and not write:
        raise WrongUse("--copy-to goes with --write", "Add --write, or leave it out: nothing is copied to be read.")
    if to_index and not write:
        raise WrongUse(
            "--stage goes with --write", "Add --write, or leave it out: nothing is changed that could be staged."
        )


def chosen_outcome(engine: EngineTree, remove: bool, version: str | None, plugin: str | None) -> Remove | Plugin | None:
    """What is to become of the models; None where the backend is to serve them.

    Raises `WrongUse` for an address that is none or a version later than the tree, `EnvironmentProblem` where the tree
    does not say its own.
    """
    if plugin is not None:
        return Plugin(plugin_address(plugin))
    if remove and version is not None:
        refuse_later_version(engine, version)
        return Remove(version)
    if remove:
        return Remove(last_version(engine))
    return None
