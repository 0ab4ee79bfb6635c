"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., Any]")

FORMATS = ("text", "json")
MOST_SECONDS = 24 * 60 * 60

engine_option = click.option(
    "--engine",
    metavar="PATH|vllm==VERSION",
    help="Engine tree, or a release to bring from the package index. Default: the current directory.",
)


transformers_option = click.option(
    "--transformers",
    "releases",
    multiple=True,
    metavar="VERSION|PATH",
    help="Transformers release to judge against; `floor` and `newest` are the ends of the range that the engine "
    "declares. Repeatable.",
)


def engine_options(command: Command) -> Command:
    """The options that say which trees are read."""
    for option in (transformers_option, engine_option):
        command = option(command)
    return command


engine_python_option = click.option(
    "--engine-python", metavar="PATH", help="The Python that has the engine. Default: the one that runs this."
)


def run_options(command: Command) -> Command:
    """The options that say how models are run, one by one or many of them."""
    for option in (
        click.option(
            "--seconds",
            type=click.IntRange(1, MOST_SECONDS),
            default=300,
            show_default=True,
            help="How long one run may take.",
        ),
        click.option(
            "--runner",
            type=click.Choice(["auto", "vllm", "transformers"]),
            default="auto",
            show_default=True,
            help="The engine, or where there is none what its backend does, done by torch and Transformers.",
        ),
        click.option("--device", type=click.Choice(["auto", "cuda", "cpu"]), default="auto", show_default=True),
        click.option(
            "--dtype",
            type=click.Choice(["auto", "float32", "bfloat16", "float16"]),
            default="auto",
            show_default=True,
            help="float32 on a CPU, bfloat16 on a GPU unless said otherwise.",
        ),
        click.option(
            "--pipeline-parallel",
            type=click.IntRange(min=1),
            default=2,
            show_default=True,
            metavar="N",
            help="Stages; 1 leaves the check out.",
        ),
        click.option(
            "--after",
            metavar="PATH|vllm==VERSION",
            help="The rewritten tree. Default: the backend of --before, asked for with model_impl.",
        ),
        click.option(
            "--before", metavar="PATH|vllm==VERSION", help="Tree with the hand-written class. Default: this one."
        ),
    ):
        command = option(command)
    return command


downstream_option = click.option(
    "--downstream",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Tree of a plugin: show what it takes of the module. Repeatable.",
)
stage_option = click.option(
    "--stage", "to_index", is_flag=True, help="Put what was changed, and nothing else, into git's index."
)
format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="For people or machines.",
)


def survey_output(command: Command) -> Command:
    """The options that say where a survey goes."""
    kinds = click.Choice(["text", "json", "csv", "markdown"])
    page = click.Path(path_type=Path, dir_okay=False)
    command = click.option("--html", type=page, metavar="FILE", help="Also write one self-contained page.")(command)
    return click.option("--format", "output_format", type=kinds, default="text", show_default=True)(command)


git_tree_option = click.option(
    "--engine",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    metavar="PATH",
    help="Engine tree, at the top of a git repository. Default: the current directory.",
)
