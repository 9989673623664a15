"""Helpers for tests of CANN's pass samples: load a sample, run it, compare the results of graphs."""

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from cann_numpy import evaluate, random_inputs

import ge.ir as ir
import ge.passes as passes

__all__ = ["SAMPLES", "builder_of", "graph_of", "left_alone", "names", "run", "same_values"]

SAMPLES = Path(__file__).resolve().parents[3] / "examples" / "fusion_pass"


def names() -> list[str]:
    """Return the names of the samples."""
    return sorted(p.name for p in SAMPLES.iterdir() if (p / "make_graph.py").is_file())


def builder_of(sample: str) -> ModuleType:
    """Return the module that builds a sample's graphs."""
    path = SAMPLES / sample / "make_graph.py"
    spec = importlib.util.spec_from_file_location(f"make_graph_of_{sample}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(sample: str, graph: ir.Graph, file: str | None = None) -> passes.PipelineResult:
    """Run the pass file of a sample, and only it, on a graph."""
    passes.clear_registered_passes()
    passes.unload_pass_plugins()
    path = SAMPLES / sample / f"{file or sample + '_pass'}.py"
    passes.load_pass_plugins(str(path))
    assert not passes.bootstrap.load_errors()
    manager = passes.PassManager()
    for descriptor in passes.get_registered_passes():
        manager.add(descriptor.cls)
    return manager.run(graph)


def same_values(
    sample: str,
    graph: ir.Graph,
    *,
    file: str | None = None,
    seeds: Sequence[int] = (0, 1, 2),
    sizes: Sequence[dict[str, int]] = ({},),
    same_types: bool = True,
    inputs_after: Callable[[list[Any]], list[Any]] = lambda inputs: inputs,
    outputs_after: Callable[[list[Any]], list[Any]] = lambda outputs: outputs,
) -> None:
    """Check that a sample changes a graph, and that the results of the graph stay the same.

    `inputs_after` and `outputs_after` convert inputs and outputs whose layout the pass changes.
    """
    given = [random_inputs(graph, seed, **size) for seed in seeds for size in sizes]
    before = [evaluate(graph, inputs) for inputs in given]
    types = [value.type for value in graph.outputs]
    result = run(sample, graph, file)
    assert result.changed
    graph.verify()
    if same_types:
        assert [value.type for value in graph.outputs] == types
    for inputs, expected in zip(given, before, strict=True):
        made = evaluate(graph, inputs_after(inputs))
        for want, have in zip(outputs_after(expected), made, strict=True):
            np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-9)


def left_alone(sample: str, graph: ir.Graph, file: str | None = None) -> None:
    """Check that a sample does not touch a graph."""
    before = graph.to_text(locations=True)
    assert not run(sample, graph, file).changed
    assert graph.to_text(locations=True) == before


def graph_of(sample: str, **variant: Any) -> ir.Graph:
    """Return one of a sample's graphs."""
    graph: ir.Graph = builder_of(sample).make_graph(**variant)
    return graph
