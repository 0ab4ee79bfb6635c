"""The command line. Imports click alone: everything else is imported by the command that needs it."""

from __future__ import annotations

import gc
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from analyzer.errors import Interrupted, RetireModelError
from retire_model.messages import complain, say
from retire_model.standard_output import OutputLost, guard_standard_output

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., Any]")

FORMATS = ("text", "json")
MOST_SECONDS = 24 * 60 * 60
MOST_JOBS = 1000
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


@cli.command(short_help="Judge, plan and (with --write) retire. The word may be left out.")
@click.argument("models", nargs=-1, required=True, metavar="MODEL…")
@engine_options
@click.option("--write", is_flag=True, help="Apply the plan to the tree.")
@click.option(
    "--accept",
    multiple=True,
    metavar="CAPABILITY",
    help="A loss to go on in spite of, such as pipeline-parallel; `all` for every loss. Repeatable.",
)
@click.option("--remove", is_flag=True, help="Give the model up: no backend is to serve it.")
@click.option(
    "--last-version",
    metavar="VERSION",
    help="With --remove, the last release that had the model. Default: the tree's own version, or for a development "
    "version the release before it.",
)
@click.option("--plugin", metavar="URL", help="Give the model to the plugin at this https address.")
@click.option("--family", is_flag=True, help="Take along what shares the module, and the modules built on it.")
@click.option(
    "--inline-shared",
    is_flag=True,
    help="Where one other module alone uses code of a retired one, move that code there.",
)
@click.option("--with-tests", is_flag=True, help="Add a test of each migrated architecture to the engine's own tests.")
@downstream_option
@click.option(
    "--allow-missing",
    multiple=True,
    type=click.Choice(["docs"]),
    help="Go on where the docs page or its tables are missing.",
)
@click.option(
    "--copy-to",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Where --write puts its working copy of a release. Default: ./vllm-VERSION.",
)
@stage_option
@click.option("--smoke", is_flag=True, help="After --write run the models in the engine, and undo it if a check fails.")
@click.option("--keep", is_flag=True, help="With --smoke, keep what was written whatever the checks say.")
@engine_python_option
@format_option
def retire(**options: Any) -> int:
    """Judge MODEL…, show the plan and its difference, and apply it with --write.

    Without --transformers, against the installed release if the engine's range admits it, else its floor.
    """
    from retire_model.command_words import hint_at_command, refuse_command_word
    from retire_model.retire import retire_models

    refuse_command_word(options["models"], cli.commands)
    try:
        return retire_models(**options)
    except RetireModelError as error:
        hint_at_command(error, options["models"][0], cli.commands)
        raise


@cli.command(short_help="Take back the last change set that was written.")
@engine_option
@stage_option
def undo(**options: Any) -> int:
    """Take back the last change set that --write made in the tree, all or nothing, with or without git.

    What it takes is kept in the cache. Nothing is done where one of the files was changed since.
    """
    from retire_model.undo import undo_last_change

    return undo_last_change(**options)


@cli.command(short_help="Judge models without planning anything.")
@click.argument("models", nargs=-1, required=True, metavar="MODEL…")
@engine_options
@click.option(
    "--since",
    is_flag=True,
    help="Walk the releases that the engine admits; name the first that will do, and what stands in the way.",
)
@click.option("--select", multiple=True, metavar="RULE", help="Ask this rule alone. Repeatable.")
@click.option("--ignore", multiple=True, metavar="RULE", help="Leave this rule out. Repeatable.")
@downstream_option
@click.option(
    "--probe",
    is_flag=True,
    help="Build and run each Hugging Face class small, in a process of its own, and compare. Imports its code.",
)
@click.option(
    "--probe-python",
    metavar="PATH",
    help="The Python with torch and Transformers that --probe runs. Default: the one that runs this.",
)
@click.option(
    "--probe-seconds",
    type=click.IntRange(1, MOST_SECONDS),
    metavar="SECONDS",
    help="How long one class may take. Default: 120.",
)
@format_option
def check(**options: Any) -> int:
    """Judge MODEL… against one or several Transformers releases, side by side. Writes nothing.

    Without --transformers, against the floor and the newest of the range that the engine declares.

    Exit status 0 if each has a modeling file that can be retired without a loss, for the trees of --downstream as well,
    and what was read is what --probe finds; 1 otherwise.
    """
    from retire_model.check import check_models

    return check_models(**options)


@cli.command(short_help="Run models in the engine, before and after.")
@click.argument("models", nargs=-1, required=True, metavar="MODEL…")
@run_options
@engine_python_option
@click.option(
    "--tensor-parallel",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    metavar="N",
    help="Ranks; 1 leaves the check out.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="Of the comparison of speed and memory; 0 leaves it out.",
)
@click.option(
    "--size",
    type=click.Choice(["tiny", "full"]),
    default="tiny",
    show_default=True,
    help="Of the model; `full` has the dimensions of the class's own defaults.",
)
@click.option(
    "--load-format",
    type=click.Choice(["auto", "dummy"]),
    default="auto",
    show_default=True,
    help="`dummy` has the engine make weights up: for speed and memory.",
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="PATH",
    help="A real one, not a random one.",
)
@click.option(
    "--logs",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="PATH",
    help="Where logs are kept. Default: a folder of the cache, which keeps those of the last twenty runs.",
)
@click.option("--json", "output_format", flag_value="json", help="The report for machines.")
@click.option("--markdown", "output_format", flag_value="markdown", help="The report for a pull request.")
def smoke(**options: Any) -> int:
    """Run MODEL… in the engine itself before and after, on tiny random checkpoints, and compare.

    Loads and runs what it tests, each run in a process of its own with a time limit and a log.

    Exit status 0 if no check failed, 1 if one did, 2 if nothing could be run.
    """
    from retire_model.smoke.options import smoke_command

    return smoke_command(**options)


@cli.command(short_help="Smoke runs of many models, ranks and releases.")
@click.argument("models", nargs=-1, metavar="[MODEL…]")
@click.option("--eligible", "every", is_flag=True, help="All models that `survey` calls eligible, the best first.")
@run_options
@click.option(
    "--engine-python",
    "engine_pythons",
    multiple=True,
    metavar="PATH",
    help="A Python that has the engine and one Transformers release; one for each release. Repeatable. "
    "Default: the one that runs this.",
)
@click.option(
    "--transformers",
    "releases",
    multiple=True,
    metavar="VERSION",
    help="Release to run with, which one of the Pythons has. Repeatable. Default: all that they have.",
)
@click.option(
    "--tensor-parallel",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="Ranks; 1 leaves the check out. Repeatable. Default: 1 and 2.",
)
@click.option(
    "--jobs", type=click.IntRange(1, MOST_JOBS), metavar="N", help="Cases at a time. Default: as the cores allow."
)
@click.option("--ray", metavar="ADDRESS", help="Run the cases on this Ray cluster: HOST:PORT, or `auto`.")
@click.option(
    "--case-seconds",
    type=click.IntRange(1, MOST_SECONDS),
    default=1800,
    show_default=True,
    help="How long one case may take.",
)
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="How often a case is tried again whose run was ended from outside.",
)
@click.option(
    "--results",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where results are kept and looked up. Default: prove/results.jsonl in the cache.",
)
@click.option("--again", is_flag=True, help="Run cases again whose results are kept.")
@click.option("--matrix", type=click.Choice(["github"]), help="Run nothing: print a matrix for a CI job.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="For people, machines, or a pull request.",
)
def prove(**options: Any) -> int:
    """Run the smoke run of MODEL…, or of all eligible models, for each number of ranks and each Transformers release.

    Results are kept as they come: the same command goes on where an earlier one ended. A case whose model, trees,
    release or options have changed is run again, and so is one that could not be run.

    Exit status 0 if every case passed, 1 if one failed, 2 if nothing could be told of one.
    """
    from retire_model.prove.command import prove_models

    return prove_models(**options)


def survey_output(command: Command) -> Command:
    """The options that say where a survey goes."""
    kinds = click.Choice(["text", "json", "csv", "markdown"])
    page = click.Path(path_type=Path, dir_okay=False)
    command = click.option("--html", type=page, metavar="FILE", help="Also write one self-contained page.")(command)
    return click.option("--format", "output_format", type=kinds, default="text", show_default=True)(command)


@cli.command(short_help="Judge all hand-written models, and rank them.")
@engine_options
@click.option(
    "--sort",
    type=click.Choice(["rank", "lines", "module", "verdict", "losses", "dependents", "age"]),
    default="rank",
    show_default=True,
    help="Order of the rows; `rank` is by lines saved for each capability lost, what can go first.",
)
@click.option(
    "--only",
    type=click.Choice(["eligible", "lossless", "with-losses", "unproven", "keep"]),
    help="Leave the other rows out.",
)
@click.option("--history", is_flag=True, help="Take ages from the releases in the cache, not from git.")
@click.option(
    "--baseline", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Keep the verdicts in FILE."
)
@click.option(
    "--diff", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Tell what changed since FILE."
)
@survey_output
def survey(**options: Any) -> int:
    """Judge every hand-written model of the tree, and say what to retire first, and what would unlock most.

    Lines saved are those of the modeling files, and of files in the models folder that nothing else imports: an
    estimate; `retire-model MODEL` has the plan. Without --transformers as `retire` has it.

    Exit status 0 if every model could be read, 1 otherwise.
    """
    from retire_model.survey.commands import survey_models

    return survey_models(**options)


@cli.command(short_help="Show how hand-written and backend models moved over releases.")
@click.argument("versions", metavar="vllm==FIRST..LAST")
@survey_output
def history(**options: Any) -> int:
    """Count hand-written modules, their lines, and the architectures on the backend, release by release."""
    from retire_model.survey.commands import show_history

    return show_history(**options)


@cli.command(short_help="Check that registry, docs, tests and CI paths of a tree agree.")
@engine_option
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Old faults that are known and not reported again.",
)
@click.option("--write-baseline", "rewrite_baseline", is_flag=True, help="Write the faults found to --baseline FILE.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="For people, machines, or GitHub's actions.",
)
def lint(**options: Any) -> int:
    """Check that the parts of an engine tree agree: registry, modules, imports, tests, docs and CI paths.

    Reads the tree alone: no Transformers release, no network. A fault is silenced where it stands by a comment
    `# retire-model: ignore[CHECK] reason`, in Markdown `<!-- retire-model: ignore[CHECK] reason -->`.

    Exit status 0 if there is no fault, 1 otherwise.
    """
    from retire_model.lint import lint_tree

    return lint_tree(**options)


git_tree_option = click.option(
    "--engine",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    metavar="PATH",
    help="Engine tree, at the top of a git repository. Default: the current directory.",
)


@cli.command(short_help="Say what a change forgets, loses without a word, or need not add.")
@git_tree_option
@click.option("--base", required=True, metavar="REF", help="What the change is to be merged into: origin/main.")
@click.option("--head", default="HEAD", show_default=True, metavar="REF", help="The last commit of the change.")
@transformers_option
@click.option(
    "--description",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="What the author says of the change besides the commits' messages, such as the text of a pull request.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["markdown", "github-review", "github", "rdjsonl", "sarif"]),
    default="markdown",
    show_default=True,
    help="A summary, the body for GitHub's review API, annotations of a job, or for reviewdog and code scanning.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write. In a job of GitHub's use it for all but --format github: a log is read for commands.",
)
@click.option(
    "--fail-level",
    type=click.Choice(["error", "warning", "never"]),
    default="warning",
    show_default=True,
    help="From which remarks on the exit status is 1.",
)
def review(**options: Any) -> int:
    """Review what leads from --base to --head: the work of the pull-request bot.

    Both trees are read from git's objects: nothing is checked out, imported or run.

    Exit status 1 where there is something to remark, as far as --fail-level says.
    """
    from retire_model.review.command import review_change

    return review_change(**options)


@cli.command(short_help="Post a review to a pull request, or answer a comment.")
@click.option(
    "--event",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="GITHUB_EVENT_PATH",
    required=True,
    metavar="FILE",
    help="The event to act on. Default: $GITHUB_EVENT_PATH, as in a job of GitHub's.",
)
@click.option(
    "--review",
    "given",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="What `review --format github-review` wrote in another job. Without it the review is made here.",
)
@git_tree_option
@transformers_option
@click.option(
    "--api-url", "api", metavar="URL", help="GitHub's API. Default: $GITHUB_API_URL, else https://api.github.com."
)
def bot(**options: Any) -> int:
    """Do what an event of GitHub's asks for: review a pull request, or answer `/retire-model MODEL…` in a comment.

    Needs GITHUB_TOKEN in the environment, and `pip install 'retire-model[bot]'`. What the bot posted before it edits
    or folds away. Comments count from people with write access alone, where `/retire-model review` has a pull request
    reviewed. Nothing of a pull request is checked out, imported or run; no pull request is opened.
    """
    from retire_model.bot.command import run_bot

    return run_bot(**options)


@cli.command("new-model", short_help="Check that the modeling files a commit adds are needed.")
@git_tree_option
@click.option("--base", metavar="REF", help="The commit that the tree is compared with. Default: HEAD.")
@transformers_option
def new_model(**options: Any) -> int:
    """Judge each modeling file that the work tree has and the commit --base has not, as a commit hook does.

    No network: without --transformers, against the installed release or one in the cache, else by the registry alone.

    Exit status 1 for an architecture that the backend serves as well, or that was retired and comes back.
    """
    from retire_model.review.new_model import judge_new_models

    return judge_new_models(**options)


@cli.command(short_help="Show the page of a rule.")
@click.argument("code", metavar="RULE")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "markdown"]),
    default="text",
    show_default=True,
    help="Laid out for a terminal, or the page as it stands in docs/rules. A pipe gets the latter.",
)
def explain(code: str, output_format: str) -> int:
    """Show what RULE looks at, why, and how to mend what it finds."""
    from retire_model.explain import explain_rule

    return explain_rule(code, output_format)


@cli.command(short_help="List the rules.")
def rules() -> int:
    """List every rule with the capability it judges, every check of `lint`, and what `review` asks."""
    from retire_model.explain import list_rules

    return list_rules()


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
