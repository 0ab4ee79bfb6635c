"""`make probe-all`: the comparison as a table. Exit status 1 where the readings disagree and no reason is kept.

The Python with torch and Transformers is the one that runs this, or the one that PROBE_PYTHON names; the release is
the one installed there, or the one in the folder that is given as argument. Whether a model is said to run in stages is
judged with the engine release whose backend demands least.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from packaging.version import Version

from analyzer.engine.engine_tree import open_engine_tree
from analyzer.engine.model_names import BespokeModel, find_model
from analyzer.errors import EnvironmentProblem
from analyzer.release.hugging_face import HuggingFaceSource
from analyzer.release.hugging_face_model import read_hugging_face_model
from retire_model.messages import complain
from retire_model.probe.process import Probe
from retire_model.reports.progress import show_step
from retire_model.sources.cache_layout import cache_folder
from retire_model.sources.releases import ReleaseCache
from retire_model.sources.transformers_folder import package_version
from rules.assessment import Assessor
from rules.findings import Capability
from tests.probe_all.judging import gone, read_known, row, summary, table, unlisted

ENGINE = Version("0.33.0")
FIND = "import importlib.util as util; print(util.find_spec('transformers').origin)"


def main(arguments: list[str]) -> int:
    """Probe every class and print the table, the counts, and what is wrong with the list of known disagreements."""
    python = os.environ.get("PROBE_PYTHON") or sys.executable
    root = Path(arguments[0]).resolve() if arguments else installed(python)
    source = HuggingFaceSource(root, package_version(root) or "unknown")
    names = list(dict.fromkeys(source.auto_mapping("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES").values()))
    models = {name: model for name in names if (model := read_hugging_face_model(source, name)) is not None}
    assessor = Assessor(open_engine_tree(ReleaseCache(cache_folder()).engine(ENGINE)), (source,))
    rows = []
    for answer in Probe(python=python).run(root, list(models)):
        name = answer["architecture"]
        rows.append(row(models[name], answer, runs_in_stages(assessor, name)))
        show_step(f"{len(rows)} of {len(models)}: {name}")
    show_step("")
    tested, known = read_known()
    wrong = [f"disagree, and no reason is kept: {text}" for text in unlisted(rows, known)]
    wrong += [f"not read at all: {name}" for name in names if name not in models]
    if source.label in tested:
        wrong += [f"listed in fixtures/probe-disagreements.toml, and gone: {text}" for text in gone(rows, known)]
    for line in (*table(rows, known), "", f"Transformers {source.label}:", *summary(rows, known), *wrong):
        print(line)
    for found in rows:
        for subject, reason in known.get(found.architecture, {}).items():
            print(f"listed: {found.architecture} {subject}: {reason}")
    return 1 if wrong else 0


def runs_in_stages(assessor: Assessor, architecture: str) -> bool | None:
    """Whether the backend is said to run it in pipeline stages; None where it is not said to run it at all."""
    model = find_model(assessor.engine, assessor.sources, architecture)
    if isinstance(model, BespokeModel):
        model = BespokeModel(model.module, (architecture,), whole=False)
    capabilities = assessor.assess(model).judgement.capabilities
    return capabilities[Capability.PIPELINE_PARALLEL].backend if capabilities[Capability.LOAD].backend else None


def installed(python: str) -> Path:
    """The folder that holds the installed package, found without importing it."""
    found = subprocess.run([python, "-c", FIND], capture_output=True, text=True, check=False)
    if found.returncode:
        raise EnvironmentProblem(f"{python} has no Transformers", "pip install 'retire-model[smoke]'")
    return Path(found.stdout.strip()).parents[1]


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except EnvironmentProblem as problem:
        complain(problem.problem, problem.remedy)
        sys.exit(problem.exit_status)
