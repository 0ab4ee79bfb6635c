"""The command line. Imports click alone: everything else is imported by the command that needs it."""

from __future__ import annotations

import gc
import sys
from itertools import pairwise

import click

from analyzer.errors import Interrupted, RetireModelError
from retire_model.commands.bot import bot
from retire_model.commands.check import check
from retire_model.commands.explain import explain
from retire_model.commands.history import history
from retire_model.commands.lint import lint
from retire_model.commands.new_model import new_model
from retire_model.commands.prove import prove
from retire_model.commands.retire import retire
from retire_model.commands.review import review
from retire_model.commands.rules import rules
from retire_model.commands.smoke import smoke
from retire_model.commands.survey import survey
from retire_model.commands.undo import undo
from retire_model.messages import complain, say
from retire_model.reports.standard_output import OutputLost, guard_standard_output

READER_LEFT = 141
"""The exit status of what a closed pipe ends (`| head`), as shells have it. That is no error, and nothing is said."""


class DefaultGroup(click.Group):
    """A group whose first word may be a model: then it is the command `retire` that is meant."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the hidden `retire` before anything that is neither a command nor an option of the group."""
        _refuse_empty(args)
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h", "--version"):
            args = ["retire", *args]
        return super().parse_args(ctx, args)


def _refuse_empty(args: list[str]) -> None:
    """Raise `UsageError` for an option with an empty value: an empty path would be the current directory."""
    for before, word in pairwise(["", *args]):
        option = before if not word else word.removesuffix("=") if word.endswith("=") else ""
        if option.startswith("--"):
            raise click.UsageError(f"Option '{option}' has an empty value.")


@click.group(
    cls=DefaultGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.version_option(package_name="retire-model", prog_name="retire-model")
@click.pass_context
def cli(context: click.Context) -> None:
    """Retire hand-written model files of vLLM in favour of its Transformers modeling backend.

    \b
    retire-model MODEL…            verdict, plan and difference; writes nothing
    retire-model MODEL… --write    do it, all or nothing
    retire-model MODEL… --remove   give the model up instead
    retire-model retire --help     all options of the lines above

    A model is named by module, architecture, Hugging Face model type, file or checkpoint id.

    \b
    Exit status
    0   clean, or done
    1   findings, losses or faults; or refused: what stands in the way is told
    2   wrong use, or a tree, release or machine that cannot serve
    3   a fault of its own: please report it
    130 interrupted: whether anything was written is told
    141 the reader of a pipe left, before a command that only reads had done
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


for command in (
    retire,
    undo,
    check,
    smoke,
    prove,
    survey,
    history,
    lint,
    review,
    bot,
    new_model,
    explain,
    rules,
):
    cli.add_command(command)


def main() -> None:
    """Run the command and leave with the exit status that DESIGN promises."""
    # Parsed trees are millions of small objects that live until the end: looking for cycles among them is a quarter
    # of the time of a check, and the process is short.
    gc.disable()
    guard_standard_output()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line `arguments` and return its exit status; every error becomes one clear message."""
    try:
        result = cli.main(arguments, prog_name="retire-model", standalone_mode=False)
    except RetireModelError as error:
        if isinstance(error, OutputLost) and error.reader_left:
            return READER_LEFT
        complain(error.problem, error.remedy)
        return error.exit_status
    except click.ClickException as error:
        _complain_of_use(error)
        return 2
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted", "Nothing was written.")
        return Interrupted.exit_status
    except OSError as error:
        return _environment_problem(error)
    except RecursionError:
        complain("a file is nested too deeply to be followed", "No real one is; RETIRE_MODEL_TRACEBACK=1 shows where.")
        _trace()
        return 2
    except Exception as error:
        return _own_fault(error)
    return result if isinstance(result, int) else 0


def _complain_of_use(error: click.ClickException) -> None:
    from io import StringIO

    shown = StringIO()
    error.show(shown)
    say(shown.getvalue(), newline=False)


def _environment_problem(error: OSError) -> int:
    import os

    place = f"{error.filename}: " if error.filename else ""
    try:
        os.getcwd()  # noqa: PTH109 - imports nothing
    except FileNotFoundError:
        complain("the current directory is not there any more", "Change to one that is.")
    else:
        complain(
            f"{place}{error.strerror or error}",
            "The system refuses it: look at the path, its permissions and the disk.",
        )
    _trace()
    return 2


def _own_fault(error: Exception) -> int:
    complain(
        f"a fault of its own: {type(error).__name__}: {error}",
        "Please report it; RETIRE_MODEL_TRACEBACK=1 shows where.",
    )
    _trace()
    return 3


def _trace() -> None:
    import os
    import traceback

    if os.environ.get("RETIRE_MODEL_TRACEBACK"):
        traceback.print_exc()
