"""``ge optimize`` of many models: each in its own process, with one report."""

from __future__ import annotations

import os
from typing import Any

from .._support.program import PROGRAM
from . import _contract
from ._output import Options, Output, UsageError, human_bytes
from ._pipeline import matches_of, plugins_of

__all__ = ["run_many"]

# Options that apply to a single model only.
_ONE_ONLY = (
    "output", "trace", "dim", "shape", "input_data", "rtol", "atol", "provider", "external_data",
    "external_data_threshold", "overwrite_input_shape", "test_input_shape", "input_data_path", "input_fill",
    "unused_output", "graph_diff", "allow_pipe", "seed",
)  # fmt: skip


def run_many(options: Options, text: str, output: Output) -> int:
    """Optimise each model; return the exit status.

    Parameters
    ----------
    options : Options
    text : str
        The pipeline.
    output : Output
    """
    from ..onnx import optimize_many

    for name in _ONE_ONLY:
        # An explicit tolerance of 0 is kept; a seed of 0 is the default.
        value = getattr(options, name)
        if not (value is None or value is False or value == [] or (name == "seed" and not value)):
            raise UsageError(
                f"--{name.replace('_', '-')} is for one model, not with --jobs or --output-dir"
            )
    if not options.paths:
        raise UsageError(f"no models were given ('{PROGRAM} optimize --help' tells more)")
    if options.jobs is not None and options.jobs < 1:
        raise UsageError(f"--jobs is {options.jobs}: at least 1 process is needed")
    directory = options.output_dir or "optimized"
    counted: dict[str, Any] = {"expect": {}} if options.lock else {}
    expectations = _contract.Expectations(options, text)
    try:
        with output.progress("models", len(options.paths)) as step:
            results = optimize_many(
                options.paths,
                output_dir=directory,
                jobs=options.jobs,
                resume=not options.again,
                overwrite=options.force,
                check=options.check or 0,
                on_result=lambda result: step(os.path.basename(result.path)),
                expect_of={path: expectations.of(path) for path in options.paths},
                **counted,
                pass_files=plugins_of(options),
                data_roots=options.data_root,
                passes=text,
                freeze=not options.mutable_initializer,
                force=options.force,
                check_rewrites=options.check_rewrites,
                check_dir=options.reproducer_dir,
            )
    except ValueError as error:
        raise UsageError(str(error)) from error
    rows = [
        (
            os.path.relpath(r.path),
            r.status,
            r.nodes[0] if r.status != "failed" else "-",
            r.nodes[1] if r.status != "failed" else "-",
            human_bytes(r.bytes[0]) if r.status != "failed" else "-",
            human_bytes(r.bytes[1]) if r.status != "failed" else "-",
        )
        for r in results
    ]
    output.table(("model", "status", "nodes", "after", "file", "after"), rows)
    failed = [r for r in results if r.status == "failed"]
    for result in failed:
        output.error(f"{os.path.relpath(result.path)}: {result.error}")
    for result in results:
        for note in result.notes:
            output.note(f"{os.path.relpath(result.path)}: {note}")
    done = sum(r.status == "done" for r in results)
    output.line(
        f"{done} done, {len(results) - done - len(failed)} done before, {len(failed)} failed: {directory}"
    )
    good = [r for r in results if r.status != "failed"]
    for file, names in options.pass_files.items():
        found = {n: sum(r.matches.get(n, {}).get("matches", 0) for r in good) for n in names}
        if good:
            output.line(f"{file}: {matches_of(names, found, ())} in all models")
        if good and not any(found.values()):
            output.note(
                f"no pass of {file} matches in any model; '{PROGRAM} why {file} MODEL' tells why"
            )
    if options.lock:
        locks = {r.path: r.matches for r in results if r.status != "failed"}
        lock_file = _contract.write_lock(options, _contract.locked(options, text, locks))
        for path, matches in locks.items():
            counts = _contract.counts(matches) or "nothing"
            output.line(f"{lock_file}: {os.path.relpath(path)}: {counts}")
    stamps = ("sources", "files")  # for the manifest
    models = [{k: v for k, v in r._asdict().items() if k not in stamps} for r in results]
    output.result({"output_dir": directory, "models": models})
    return 1 if failed else 0
