"""Many models: one task each on any executor; failures are reported, finished models are skipped."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from .._support.failures import text_of
from .._support.files import several_paths
from .._support.lazy import publish
from ..onnx import load
from ._manifest import MANIFEST, Manifest, ModelResult, another_file, identity
from ._optimize import optimize
from ._results import Identity, Results, data_files
from ._results import stamp as _stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ..ir import Module
    from ..passes import Expected

__all__ = ["MANIFEST", "ModelResult", "optimize_many"]


_GUARD = 'optimize_many starts processes, which import the script: call it under if __name__ == "__main__":'


_UNDECIDED = {"not-loaded": "could not be loaded", "not-evaluated": "was not evaluated"}


class Place(NamedTuple):
    """Where a task writes, and what it may replace there."""

    directory: str
    identity: Identity
    overwrite: bool
    """Whatever file is there."""
    files: dict[str, str] | None
    """Stamps of an earlier result; None: there was none that is known."""


class _Task(NamedTuple):
    source: str
    target: str
    check: int
    options: dict[str, Any]
    """Of `optimize`."""
    pass_files: list[str] | None
    data_roots: list[str]
    place: Place


def optimize_many(
    paths: Iterable[str | os.PathLike[str]],
    *,
    output_dir: str | os.PathLike[str],
    executor: concurrent.futures.Executor | None = None,
    jobs: int | None = None,
    resume: bool = True,
    overwrite: bool = False,
    check: int = 0,
    on_result: Callable[[ModelResult], None] | None = None,
    expect_of: Mapping[str, Mapping[str, int | Expected]] | None = None,
    pass_files: Sequence[str | os.PathLike[str]] | None = None,
    data_roots: Sequence[str | os.PathLike[str]] = (),
    **options: Any,
) -> list[ModelResult]:
    """Optimise models, each in a task of its own.

    Parameters
    ----------
    paths : iterable of path-like
    output_dir : path-like
        Where results go, under the models' paths below the directory that all of them are in. On several
        machines it must be the same place for all, as must the models' paths.
    executor : concurrent.futures.Executor, optional
        What runs the tasks: ``client.get_executor()`` of Dask for several machines. Default: processes of
        this machine. It is not shut down.
    jobs : int, optional
        How many processes; default: one for each core. Not with `executor`.
    resume : bool
        Leave out models whose result is there with all of its data, if the model, its data and the options are the same:
        files by size and times, as the file ``ge-optimize.jsonl`` in `output_dir` has them.
    overwrite : bool
        Replace files in `output_dir` that are not results of earlier calls, too. Which ones are, that file knows; one
        that changed, or that a killed run wrote, is replaced if it is the new result, or the beginning of it.
    check : int
        Sets of random inputs to compare each result with its model on; a difference is a failure.
    on_result : callable, optional
        Called with each `ModelResult` as it comes.
    expect_of : mapping of str to mapping, optional
        What is expected of passes in single models, by path, over what the option ``expect`` says of all.
    pass_files : sequence of path-like, optional
        Files, or directories, of passes that the option ``passes`` names: each process loads them, and installed plugins
        with them. On several machines they must be at the same place. A process of an `executor` that has loaded a file
        before does not read it again.
    data_roots : sequence of path-like
        Directories to which links to external data may lead; see `load`.
    **options
        Of `ge.onnx.optimize`. In `check_dir` each model gets a directory that is called as its result.

    Returns
    -------
    list of ModelResult
        In the order of `paths`. A model that fails, or that kills the process it runs in, is a result
        like others and stops nothing.

    Raises
    ------
    TypeError
        If `paths` is one path.
    ValueError
        For `jobs` together with `executor`, a path that is given twice, and an `output_dir` in which a
        result would replace one of the models, by whatever path or link.
    FileExistsError
        If a result would replace a file that is not one of an earlier call.
    OSError
        If `output_dir` cannot be made or the manifest not be written.
    RuntimeError
        In a process that it started: those import the script, which calls it under ``if __name__ == "__main__":``.

    Notes
    -----
    Links below `output_dir` are not followed. Processes that it started end with this one.
    """
    _refuse_import()
    if executor is not None and jobs is not None:
        raise ValueError("jobs says how many processes to start; the executor has its own")
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError("paths is a sequence of paths, not one path; optimize takes one")
    sources = [os.path.abspath(os.fsdecode(p)) for p in paths]
    if len(set(sources)) != len(sources):
        twice = next(p for i, p in enumerate(sources) if p in sources[:i])
        raise ValueError(f"'{twice}' is given twice")
    directory = os.path.abspath(os.fsdecode(output_dir))
    targets = _targets(sources, directory)
    _refuse_models(sources, targets)
    os.makedirs(directory, exist_ok=True)
    expected = {os.path.abspath(path): expect for path, expect in (expect_of or {}).items()}
    reproducers = os.path.abspath(os.fsdecode(options.pop("check_dir", ".")))
    files = None if pass_files is None else [os.path.abspath(os.fsdecode(f)) for f in pass_files]
    roots = [os.path.abspath(os.fsdecode(root)) for root in several_paths(data_roots)]
    stamps = {"pass_files": [(f, _stamp(f)) for f in files]} if files else {}
    found: dict[str, ModelResult] = {}
    tasks: list[_Task] = []
    settings: dict[str, str] = {}
    with Results(directory) as results:
        manifest = Manifest(results)
        done = manifest.read()
        if not overwrite:
            manifest.refuse_others(targets)
        for source, target in zip(sources, targets, strict=True):
            own = dict(options)
            if expect := expected.get(source):
                own["expect"] = {**(options.get("expect") or {}), **expect}
            settings[source] = setting = _settings({"check": check, **own, **stamps})
            old, written = done.get(source), manifest.written(target)
            if (
                resume
                and old is not None
                and old.is_current(setting)
                and results.state(target, written) == "whole"
            ):
                found[source] = old.result._replace(status="skipped", output=target)
            else:
                # Reproducers are called after passes and rewrites, which models have in common.
                name = os.path.splitext(os.path.relpath(target, directory))[0]
                own["check_dir"] = os.path.join(reproducers, name)
                place = Place(directory, results.identity, overwrite, written)
                tasks.append(_Task(source, target, check, own, files, roots, place))
        if on_result:
            for result in found.values():
                on_result(result)
        with manifest:
            # Recorded before they are written, so that results of a killed run are recognised.
            manifest.plan([task.target for task in tasks])
            for result in _run(tasks, executor, jobs):
                found[result.path] = result
                if result.status == "done":
                    manifest.add(result, settings[result.path])
                else:
                    manifest.give_up(result.output)
                if on_result:
                    on_result(result)
    return [found[source] for source in sources]


def _refuse_import() -> None:
    """Refuse the call of a script that a started process imports: it would start processes without end."""
    from multiprocessing import process

    if getattr(process.current_process(), "_inheriting", False):
        raise RuntimeError(_GUARD)


def _refuse_models(sources: list[str], targets: list[str]) -> None:
    """Refuse a directory in which a result is the file of a model, also through a link."""
    models = {identity(source) for source in sources} - {None}
    paths = set(sources)
    for source, target in zip(sources, targets, strict=True):
        if target in paths or identity(target) in models:
            raise ValueError(
                f"the result of '{source}' would replace the model '{target}': choose another directory"
            )


def _targets(sources: list[str], directory: str) -> list[str]:
    if not sources:
        return []
    root = os.path.dirname(sources[0]) if len(sources) == 1 else os.path.commonpath(sources)
    return [os.path.join(directory, os.path.relpath(source, root)) for source in sources]


def _settings(options: dict[str, Any]) -> str:
    """Return all options as text, which the manifest keeps whole: equal digests do not prove equal options."""
    return json.dumps(options, sort_keys=True, default=repr)


def _run(
    tasks: list[_Task],
    executor: concurrent.futures.Executor | None,
    jobs: int | None,
) -> Iterator[ModelResult]:
    if executor is not None:
        for task, result in _all(executor, tasks):
            yield result or _failed(*task[:2], "the executor broke down")
        return
    if not tasks:
        return
    alone: list[_Task] = []
    with _processes(min(jobs or os.cpu_count() or 1, len(tasks))) as pool:
        for task, result in _all(pool, tasks):
            if result is None:
                alone.append(task)
            else:
                yield result
    # A process died, and took all tasks that were not done with it: each gets one of its own.
    guard = [_GUARD] if len(alone) == len(tasks) and _is_script() else []
    for task in alone:
        with _processes(1) as pool:
            for _, result in _all(pool, [task]):
                yield result or _failed(*task[:2], "the process that worked on it died", *guard)


def _is_script() -> bool:
    """Whether processes that are started import a file of the user."""
    main = sys.modules.get("__main__")
    return getattr(main, "__spec__", None) is None and getattr(main, "__file__", None) is not None


def _processes(count: int) -> concurrent.futures.Executor:
    from multiprocessing import get_context

    # Threads of this process, and locks that they hold, must not be copied into the workers.
    context = get_context("spawn")
    return concurrent.futures.ProcessPoolExecutor(
        count, mp_context=context, initializer=end_with_parent
    )


def end_with_parent() -> None:
    """Let this process, which `multiprocessing` started, end when the one that started it does, whatever it is doing."""
    import threading
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, name="end with parent", daemon=True).start()


def _all(
    executor: concurrent.futures.Executor, tasks: list[_Task]
) -> Iterator[tuple[_Task, ModelResult | None]]:
    """Yield each task with its result as it comes; None if the executor broke."""
    futures: dict[concurrent.futures.Future[ModelResult], _Task] = {}
    with contextlib.suppress(concurrent.futures.BrokenExecutor):
        for task in tasks:
            futures[executor.submit(work, *task)] = task
    yield from ((task, None) for task in tasks[len(futures) :])
    for future in concurrent.futures.as_completed(futures):
        task = futures[future]
        try:
            yield task, future.result()
        except concurrent.futures.BrokenExecutor:
            yield task, None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # what the executor, or the way to it, raises
            yield task, _failed(*task[:2], *_lines(error, task.source))


def work(
    source: str,
    target: str,
    check_runs: int,
    options: dict[str, Any],
    pass_files: Sequence[str] | None,
    data_roots: Sequence[str],
    place: Place,
) -> ModelResult:
    """Optimise one model; all failures are in the result.

    Parameters
    ----------
    source, target : str
    check_runs : int
    options : dict
        Of `ge.onnx.optimize`.
    pass_files : sequence of str, optional
    data_roots : sequence of str
    place : Place
    """
    from .._support.quiet import quiet
    from ..run import check

    try:
        if pass_files is not None:
            _load_passes(pass_files)
        before, mark = os.path.getsize(source), _stamp(source)
        module = load(source, data_roots=data_roots)
        sources = {source: mark, **{p: _stamp(p) for p in data_files(module, source)}}
        original = load(source, data_roots=data_roots) if data_roots else source
        with quiet("ge.passes.check"):  # the result says it
            report = optimize(module, **options)
        if check_runs and not (outcome := check(original, module, runs=check_runs)):
            wrong = [o.message for o in outcome.outputs if o.message]
            reason = wrong[0] if wrong else "nothing could be compared"
            what = _UNDECIDED.get(outcome.outcome, "differs")
            return _failed(source, target, f"the result {what}: {reason}")
        files, size = _save(module, target, place)
        if any(_stamp(path) != mark for path, mark in sources.items()):
            sources = {}  # the next run looks at it again
        checked = report.rewrite_check
        return ModelResult(
            source,
            target,
            "done",
            "",
            (report.before.nodes, report.after.nodes),
            (before, size),
            report.seconds,
            (*(() if checked is None else (f"checked: {checked}",)), *report.notes),
            report.lockable(),
            sources,
            files,
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # one model never stops the others, nor does a plugin that exits
        return _failed(source, target, *_lines(error, source))


def _save(module: Module, target: str, place: Place) -> tuple[dict[str, str], int]:
    """Write a result where nothing but an earlier result is; return the stamps of its files, and its size."""
    with Results(place.directory, place.identity) as results:
        state = results.state(target, place.files)
        if state == "other":
            raise another_file(target, "it is not a regular file")
        if state == "changed" and not place.overwrite and not results.begins(module, target):
            raise another_file(target, "it is not a result as it was written")
        files = results.save(module, target, is_new=state == "absent")
        return files, int(files[os.path.basename(target)].partition("-")[0])


def _load_passes(files: Sequence[str]) -> None:
    from ..ir import PassError
    from ..passes import load_pass_plugins
    from ..passes.bootstrap import load_errors

    load_pass_plugins(os.pathsep.join(files))
    for origin, error in load_errors().items():
        if any(os.path.realpath(origin) == os.path.realpath(file) for file in files):
            raise PassError(f"{origin}: {error}")


def _failed(source: str, target: str, reason: str, *notes: str) -> ModelResult:
    return ModelResult(source, target, "failed", reason, (0, 0), (0, 0), 0.0, notes)


def _lines(error: BaseException, source: str) -> list[str]:
    """Return what an error says of a model, a list of at least one line."""
    text = text_of(error)
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        place = os.fsdecode(error.filename)
        text = error.strerror if place == source else f"{place}: {error.strerror}"
    return [line.strip() for line in text.splitlines() if line.strip()] or [type(error).__name__]


publish("onnx", optimize_many)
