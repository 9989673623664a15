"""``ge optimize``: models through a pipeline of passes, in GE's words or in onnxsim's."""

from __future__ import annotations

import argparse
import os
import re
from typing import TYPE_CHECKING, Any

from . import _check, _contract, _onnxsim
from ._inputs import input_data
from ._models import is_text, read, shapes, write_text
from ._output import CommandError, Options, Output, Parser, UsageError, human_bytes
from ._plugins import load_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ir import Module
    from ..onnx import CheckReport, OptimizeReport
    from ..passes import LostMatchesError, WrongRewriteError

__all__ = ["add_arguments", "add_pipeline", "pipeline_of", "run"]

_UNITS = {"": 1, "b": 1, "k": 1000, "kb": 1000, "kib": 1024, "m": 10**6, "mb": 10**6}
_UNITS |= {"mib": 1 << 20, "g": 10**9, "gb": 10**9, "gib": 1 << 30}
_DEFAULT_TRACE = "ge_profile.json"


class _OptimizeParser(Parser):
    """Options may stand between the files; what onnxsim has and GE refuses says why."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, after looking for flags that are refused.

        Parameters
        ----------
        args : list of str
        namespace : Options, optional
        """
        for word in args:
            name = word.partition("=")[0]
            if name in _onnxsim.REFUSED:
                raise UsageError(f"onnxsim's {name} is refused: {_onnxsim.REFUSED[name]}")
        options = self.parse_intermixed_args(args, namespace)
        return options


HELP = (
    "Optimise a model:    ge optimize IN -o OUT    (or as onnxsim: ge optimize IN OUT [N])\n"
    "or many:             ge optimize --jobs 4 models/*.onnx --output-dir optimized\n"
    "Without --passes all passes of -O run. The flags of onnxsim work, see docs/onnxsim.md."
)
STATUS = "Exit status: 0 done, 1 failed (of many: any; with --check also: the result differs), 2 wrong usage."
PARSER = _OptimizeParser


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    add = parser.add_argument
    add("paths", nargs="*", metavar="MODEL", help="a model; as onnxsim: IN OUT [N]")
    add("-o", "--output", metavar="OUT", help="where the result goes; text if it ends in .mlir")
    add_pipeline(parser)
    add(
        "--check",
        type=int,
        metavar="N",
        help="compare with the model on N random inputs and on edge values",
    )
    _check.add_inputs(parser)
    add(
        "--check-rewrites",
        action="store_true",
        help="compare each rewrite with what it replaces, and other passes as a whole",
    )
    add(
        "--reproducer-dir",
        metavar="DIR",
        default=".",
        help="where a wrong rewrite leaves its text (default: here)",
    )
    _contract.add_arguments(parser)
    add(
        "--external-data",
        nargs="?",
        const=True,
        metavar="NAME",
        help="weights go to OUT.data, or NAME",
    )
    add("--trace", metavar="FILE", help="write a Chrome trace of the passes")
    add("--jobs", type=int, metavar="N", help="many models, on N processes")
    add("--output-dir", metavar="DIR", help="of the results of many models (default: optimized)")
    add("--again", action="store_true", help="of many models: also those that were done before")
    _add_onnxsim(add)


def add_pipeline(parser: Parser) -> None:
    """Add what says which passes run.

    Parameters
    ----------
    parser : Parser
    """
    add = parser.add_argument
    add(
        "--passes",
        action="append",
        metavar="PIPELINE",
        help="passes, as in 'cse,dce', or a pass file.py",
    )
    add("-O", dest="all", action="store_true", help="all passes, after those of --passes")
    add(
        "--skip",
        action="append",
        default=[],
        metavar="PASS",
        help="leave a pass of the pipeline out",
    )
    add("--fold-limit", metavar="BYTES", help="a folded tensor may not be larger (default: 1MiB)")
    add("--mutable-initializer", action="store_true", help="inputs with a default stay inputs")


def pipeline_of(options: Options) -> str:
    """Return the pipeline that the options say, which is one.

    Parameters
    ----------
    options : Options

    Raises
    ------
    UsageError
    """
    from ..ir import ParseError
    from ..onnx._optimize import pipeline_text

    try:
        text = pipeline_text(
            _passes(options),
            fold_limit=_bytes(options.fold_limit, "--fold-limit"),
            skip=_skipped(options),
        )
        _parse(options, text)
    except (ValueError, ParseError) as error:
        raise UsageError(str(error)) from error
    return text


def _add_onnxsim(add: Any) -> None:
    def hidden(*names: str, **settings: Any) -> None:
        add(*names, help=argparse.SUPPRESS, **settings)

    hidden("--check-rtol", type=float, dest="rtol")
    hidden("--check-atol", type=float, dest="atol")
    hidden("--overwrite-input-shape", "--input-shape", nargs="+", default=[])
    hidden("--test-input-shape", nargs="+", default=[])
    hidden("--input-data-path", nargs="+", default=[])
    hidden("--input-fill", choices=("random", "ones", "zeros", "arange"))
    hidden("--skip-optimization", "--skip-optimizer", nargs="*")
    for flag, name in (
        ("--skip-fuse-bn", "fold-batch-norm"),
        ("--skip-constant-folding", "constant-fold"),
        ("--skip-shape-inference", "infer-types"),
    ):
        hidden(flag, action="append_const", dest="skip", const=name)
    hidden("--no-large-tensor", nargs="?", const="1KB", dest="fold_limit")
    hidden("--unused-output", nargs="+", default=[])
    hidden("--save-as-external-data", action="store_const", const=True, dest="external_data")
    hidden("--external-data-threshold")
    hidden("--providers", nargs="+", dest="provider")
    hidden("--profile", nargs="?", const=_DEFAULT_TRACE, dest="trace")
    hidden("--graph-diff", action="store_true")
    hidden("--list-default-optimizers", action="store_true")
    hidden("-v", "--version", action="store_true")
    hidden("--inline-functions", action="store_true")
    hidden("--list-other-optimizers", action="store_true")
    hidden("--cuda", action="store_const", dest="provider", const=_onnxsim.CUDA)
    for name in ("--enable-fuse-bn", "--dynamic-input-shape", "--include-subgraph"):
        hidden(name, action="store_true")
    for name in ("--skip-schema-import", "--no-certify"):
        hidden(name, action="store_true")
    hidden("--custom-lib")


def run(options: Options, output: Output) -> int:
    """Optimise one model or many; return the exit status."""
    from ..onnx._optimize import pipeline_text

    if options.version:
        from ._doctor import version

        output.line(f"ge {version()}")
        return 0
    is_many = options.jobs is not None or options.output_dir is not None
    text = pipeline_of(options)
    if options.list_default_optimizers:
        output.line(pipeline_text(text, expand=True))
        return 0
    if options.list_other_optimizers:
        _list_others(output)
        return 0
    if options.check is not None and options.check < 1:
        raise UsageError(f"--check is {options.check}: at least 1 is needed")
    if is_many:
        return _many(options, text, output)
    source, target = _files(options)
    return _one(options, source, target, text, output)


def _passes(options: Options) -> str | None:
    from ..onnx._optimize import PIPELINE

    first = ["inline"] if getattr(options, "inline_functions", False) else []  # onnxsim's
    options.pass_files, options.needs_plugins = {}, False
    if not options.passes:
        return ",".join([*first, PIPELINE]) if first else None
    words: list[str] = []
    for text in options.passes:
        for word in _pieces(text):
            if word.endswith(".py"):
                names = load_files([word])
                options.pass_files[word] = names
                words += names
            else:
                words.append(word)
    if options.pass_files:
        # Conditions of pass files ask for shapes; a model seldom says them of all values.
        words.insert(0, "infer-types")
    return ",".join([*first, *words, *([PIPELINE] if options.all else [])])


def _pieces(text: str) -> list[str]:
    """Return pass files, and what is pipeline between them, of a text such as ``optimize,my_pass.py``."""
    if os.path.isfile(text):
        return [text]
    found: list[str] = []
    for word in text.split(","):
        if word.strip().endswith(".py"):
            found.append(word.strip())
        elif found and not found[-1].endswith(".py"):
            found[-1] += f",{word}"  # of options, or of a nested pipeline
        else:
            found.append(word)
    return found


def _parse(options: Options, text: str) -> None:
    """Parse a pipeline; where it names a pass that is not there, with those of the environment."""
    from ..ir import ParseError
    from ..passes import PassManager
    from ..passes._quiet import quiet
    from ..passes.bootstrap import load_pass_plugins

    if not text:
        return
    try:
        PassManager.parse(text)
    except ParseError:
        with quiet():
            options.needs_plugins = bool(load_pass_plugins())
        if not options.needs_plugins:
            raise
        PassManager.parse(text)


def _plugins(options: Options) -> list[str] | None:
    """Return the files that another process loads to know the passes that are known here; None: there is no need."""
    from ..passes.bootstrap import ENV_PY_PASS_PATH

    files = list(options.pass_files)
    if options.needs_plugins:
        files += [
            p.strip() for p in os.environ.get(ENV_PY_PASS_PATH, "").split(os.pathsep) if p.strip()
        ]
    return files if files or options.needs_plugins else None


def _skipped(options: Options) -> list[str]:
    names: list[str] = list(options.skip)
    given = getattr(options, "skip_optimization", None)  # onnxsim's
    if given is not None and not given:
        # onnxsim: none of its optimiser's passes; inference and folding stay.
        given = sorted(set(_onnxsim.PASSES) - {"eliminate_if_with_const_cond"})
    for name in given or ():
        if name in _onnxsim.PASSES:
            names.append(_onnxsim.PASSES[name])
        elif name not in _onnxsim.WITHOUT_COUNTERPART:
            names.append(name)
    return list(dict.fromkeys(names))


def _bytes(text: str | None, option: str) -> int | None:
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip().lower())
    if not match or match.group(2) not in _UNITS:
        raise UsageError(
            f"{option} {text}: a size is a number with or without KB, KiB, MB, MiB, GB, GiB"
        )
    return int(float(match.group(1)) * _UNITS[match.group(2)])


def _files(options: Options) -> tuple[str, str]:
    paths: list[str] = options.paths
    if not paths:
        raise UsageError("no model was given ('ge optimize --help' tells more)")
    if options.output is not None:
        if len(paths) > 1:
            raise UsageError(
                f"-o says where the result goes, so '{paths[1]}' is one model too many; "
                "many are optimised with --jobs N --output-dir DIR"
            )
        return paths[0], options.output
    if len(paths) == 1:
        raise UsageError(f"where to? ge optimize {paths[0]} -o OUT")
    if len(paths) == 3 and paths[2].isdecimal():
        if options.check is None and int(paths[2]):
            options.check = int(paths[2])
        paths = paths[:2]
    if len(paths) > 2:
        raise UsageError("many models are optimised with --jobs N --output-dir DIR")
    return paths[0], paths[1]


def _shape_words(words: Sequence[str], module: Module) -> list[tuple[str, list[str]]]:
    """Split onnxsim's ``name:1,3,224,224``; the name may be left out where there is one input."""
    from ..onnx._inputs import required_inputs

    found = []
    for word in words:
        name, sign, sizes = word.rpartition(":")
        if not sign:
            inputs = required_inputs(module)
            if len(inputs) != 1:
                raise UsageError(
                    f"'{word}' names no input, and the model has {len(inputs)}: NAME:{word}"
                )
            name = inputs[0].name
        parts = [part.strip() for part in sizes.split(",")]
        if not all(parts) and sizes:
            raise UsageError(f"'{word}' is no shape: NAME:1,3,224,224")
        found.append((name, [part for part in parts if part]))
    return found


def _check_arguments(options: Options, module: Module) -> dict[str, Any]:
    from ..onnx._inputs import Sizes, make_inputs

    given = _check.arguments(options, module)
    for name, sizes in _shape_words(options.test_input_shape, module):
        given["shapes"] |= shapes([f"{name}={','.join(sizes)}"])
    words = []
    for word in options.input_data_path:
        name, sign, file = word.partition(":")
        if not sign:
            raise UsageError(f"--input-data-path takes NAME:FILE, not '{word}'")
        words.append(f"{name}={file}")
    given["inputs"] |= input_data(words, module)
    if options.input_fill == "arange" and not given["inputs"]:
        given["inputs"] = make_inputs(
            module, kind="arange", sizes=Sizes(given["dims"], given["shapes"])
        )
    return given


def _list_others(output: Output) -> None:
    """Print the passes that are not in ``-O``."""
    from ..onnx._optimize import pipeline_text
    from ..passes import list_passes

    default = set(re.findall(r"[\w.-]+", pipeline_text(expand=True)))
    for one in list_passes():
        if one["name"] not in default and not one["pipeline"]:
            output.line(one["name"])


def _one(options: Options, source: str, target: str, text: str, output: Output) -> int:
    from ..onnx import check, optimize
    from ..onnx._optimize import drop_outputs, set_input_shapes
    from ..passes import LostMatchesError, WrongRewriteError
    from ..passes._quiet import quiet

    if target == "-":
        output.give_stdout()
    expect = _contract.Expectations(options, text).of(source)
    files: dict[str, list[str]] = options.pass_files
    module = read(source)
    size = _size(source)  # the result may go to its place
    try:
        shapes_given = _shape_words(options.overwrite_input_shape, module)
        set_input_shapes(
            module,
            {name: [int(p) if p.isdecimal() else p for p in parts] for name, parts in shapes_given},
        )
        drop_outputs(module, options.unused_output)
    except ValueError as error:
        raise UsageError(str(error)) from error
    # What the result is compared with: the model as it was asked for, which may be no file.
    is_other = bool(options.overwrite_input_shape or options.unused_output or is_text(source))
    original = module.clone() if options.graph_diff or is_other else None
    try:
        with output.progress(f"optimizing {source}", 1) as step, quiet("ge.passes.check"):
            report = optimize(
                module,
                text,
                freeze=not options.mutable_initializer,
                trace=options.trace,
                # Where nobody counts, nothing needs to be told at each rewrite.
                expect=expect if expect or options.lock else None,
                explain=[name for names in files.values() for name in names],
                check_rewrites=options.check_rewrites,
                check_dir=options.reproducer_dir,
            )
            step("")
    except (LostMatchesError, WrongRewriteError) as error:
        return _refused(source, target, error, output)
    verdict = None
    if options.check:
        given = _check_arguments(options, module)
        try:
            reference = source if original is None else original
            verdict = check(reference, module, runs=options.check, **given)
        except ValueError as error:
            raise UsageError(str(error)) from error
        except RuntimeError as error:
            raise CommandError(f"cannot check: {error}; nothing was written") from error
    if verdict is None or verdict:
        found = report.lockable() if options.lock else {}
        lock = _contract.locked(options, text, {source: found}) if options.lock else None
        _write(module, target, options, report, output)
        if lock is not None:
            write_text(lock, options.lock_file)
            output.line(f"{options.lock_file}: {_contract.counts(found)}")
    if original is not None and options.graph_diff:
        _show_diff(original, module, output)
    _show(source, target, report, (size, _size(target)), verdict, output)
    _show_unmatched(source, files, report, output)
    return 0 if verdict is None or verdict else 1


# Of a wrong rewrite, for machines.
_WRONG = (
    "pass_name", "rule", "number", "nodes", "made", "file", "line", "max_abs", "max_rel", "reproducer",
)  # fmt: skip


def _refused(
    source: str, target: str, error: LostMatchesError | WrongRewriteError, output: Output
) -> int:
    """Say why nothing is written; return the exit status."""
    from ..passes import LostMatchesError

    output.error(f"{error}\n{target} was not written")
    found: dict[str, Any] = {"input": source, "output": target, "written": False}
    if isinstance(error, LostMatchesError):
        found["lost"] = [one.to_dict() for one in error.lost]
    else:
        found["wrong_rewrite"] = {
            "message": str(error),
            **{key: getattr(error, key) for key in _WRONG},
        }
    output.result(found)
    return 1


def _write(
    module: Module, target: str, options: Options, report: OptimizeReport, output: Output
) -> None:
    from ..ir import ModelError
    from ..onnx import save
    from ._info import PROTOBUF_LIMIT

    if is_text(target):
        write_text(module.to_text(), target)
        return
    external = options.external_data
    limit = _bytes(options.external_data_threshold, "--external-data-threshold")
    if external is None and limit is not None and report.after.weights > limit:
        external = True
    try:
        save(module, target, external_data=external)
    except ValueError as error:
        raise UsageError(f"--external-data: {error}") from error
    except ModelError:
        if external is not None or report.after.weights < PROTOBUF_LIMIT // 2:
            raise
        save(module, target, external_data=True)
        output.note(f"weights are in {target}.data: protobuf allows 2 GiB in one file")


def _size(path: str) -> int | None:
    return os.path.getsize(path) if path != "-" and os.path.exists(path) else None


def _show_diff(before: Module, after: Module, output: Output) -> None:
    from ..onnx._inputs import main_graph
    from ..view._compare import compare
    from ._diff import sentence

    for group in compare(main_graph(before), main_graph(after)).groups:
        if group.kind != "same":
            output.line(sentence(group))


def _show(
    source: str,
    target: str,
    report: OptimizeReport,
    sizes: tuple[int | None, int | None],
    verdict: CheckReport | None,
    output: Output,
) -> None:
    before, after = report.before, report.after
    rows: list[tuple[object, ...]] = [
        (
            op,
            before.operators.get(op, 0),
            after.operators.get(op, 0),
            _change(before.operators.get(op, 0), after.operators.get(op, 0)),
        )
        for op in sorted(set(before.operators) | set(after.operators))
    ]
    rows.append(("all nodes", before.nodes, after.nodes, _change(before.nodes, after.nodes)))
    output.table(("operator", "before", "after", "change"), rows)
    output.line(f"weights  {human_bytes(before.weights)} -> {human_bytes(after.weights)}")
    if verdict is None or verdict:
        shown = [human_bytes(s) if s is not None else "-" for s in sizes]
        output.line(f"file     {shown[0]} -> {shown[1]}")
    if verdict is not None:
        _check.show(verdict, output)
    if verdict is not None and not verdict:
        output.error(f"the result computes something else: {target} was not written")
    else:
        output.line(f"{target}: {before.nodes} -> {after.nodes} nodes in {report.seconds:.2f} s")
    checked = report.rewrite_check
    if checked is not None:
        output.line(f"checked: {checked}")
    for note in report.notes:
        output.note(note)
    if report.surplus:
        output.note("--lock, or the number where it stands, says the new one")
    output.result(
        {
            "input": source,
            "output": target,
            "written": verdict is None or bool(verdict),
            "pipeline": report.pipeline,
            "changed": report.changed,
            "before": {**before._asdict(), "nodes": before.nodes, "bytes": sizes[0]},
            "after": {**after._asdict(), "nodes": after.nodes, "bytes": sizes[1]},
            "passes": [p._asdict() for p in report.passes],
            "seconds": report.seconds,
            "check": None if verdict is None else _check.report_json(verdict),
            "matches": report.matches,
            "surplus": [vars(one) for one in report.surplus],
            "unmatched": [one.to_dict() for one in report.unmatched],
            "rewrite_check": None if checked is None else checked.to_dict(),
        }
    )


def _show_unmatched(
    source: str, files: Mapping[str, Sequence[str]], report: OptimizeReport, output: Output
) -> None:
    """Say why the passes of a file match nowhere, when none of them does."""
    for file, names in files.items():
        if any(report.matches.get(name) for name in names):
            continue
        mine = [one for one in report.unmatched if one.pass_name in names]
        for one in mine:
            output.note(one.message)
        if mine:
            output.note(f"'ge why {file} {source}' tells more")


def _change(before: int, after: int) -> str:
    return "" if before == after else f"{after - before:+d}"


# What is of one model alone.
_ONE_ONLY = (
    "output", "trace", "dim", "shape", "input_data", "rtol", "atol", "provider", "external_data",
    "external_data_threshold", "overwrite_input_shape", "test_input_shape", "input_data_path", "unused_output", "graph_diff",
)  # fmt: skip


def _many(options: Options, text: str, output: Output) -> int:
    from ..onnx import optimize_many

    for name in _ONE_ONLY:
        if getattr(options, name):
            raise UsageError(
                f"--{name.replace('_', '-')} is for one model, not with --jobs or --output-dir"
            )
    if not options.paths:
        raise UsageError("no models were given ('ge optimize --help' tells more)")
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
                check=options.check or 0,
                on_result=lambda result: step(os.path.basename(result.path)),
                expect_of={path: expectations.of(path) for path in options.paths},
                **counted,
                pass_files=_plugins(options),
                passes=text,
                freeze=not options.mutable_initializer,
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
    for file, names in options.pass_files.items():
        good = [r for r in results if r.status != "failed"]
        if good and not any(r.matches.get(n, {}).get("matches") for r in good for n in names):
            output.note(f"no pass of {file} matches in any model; 'ge why {file} MODEL' tells why")
    if options.lock:
        locks = {r.path: r.matches for r in results if r.status != "failed"}
        write_text(_contract.locked(options, text, locks), options.lock_file)
        for path, matches in locks.items():
            counts = _contract.counts(matches) or "nothing"
            output.line(f"{options.lock_file}: {os.path.relpath(path)}: {counts}")
    output.result({"output_dir": directory, "models": [r._asdict() for r in results]})
    return 1 if failed else 0
