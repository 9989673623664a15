"""Writes the models that the passes here are tried on: ``python make_models.py models [gelu ...]``.

Each is a small layer as PyTorch 2.13's exporters write it, node by node: ``variants.py`` beside a pass says which
sequences they are, and how many nodes of which operators the pass makes of them.
"""

import argparse
import importlib.util
import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import ge.es
import ge.onnx
from ge import ir

__all__ = ["EXAMPLES", "make_model", "variants"]

HERE = Path(__file__).resolve().parent
EXAMPLES = ("gelu", "layer_norm", "skip_layer_norm", "attention", "conv_activation")
# ONNX's first IR version for an operator set that is used here; runtimes read all later ones.
IR_VERSIONS = {14: 7, 17: 8, 18: 8, 20: 9, 23: 11}


def variants(example: str) -> ModuleType:
    """Return the module ``variants.py`` of an example.

    Its ``INPUTS`` are shapes and element types by name, and its ``VARIANTS``, by name: the function that builds the
    layer, the operator set, the fused operators that are expected with their number, and the number of all nodes then.
    """
    spec = importlib.util.spec_from_file_location(
        f"{example}_variants", HERE / example / "variants.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_model(
    inputs: dict[str, tuple[Any, ir.DType]], build: Callable[..., Any], opset: int
) -> ir.Module:
    """Return a model of what ``build(op, x, ...)`` adds, whose parameters are `op` and names of inputs."""
    module = ir.Module("model")
    graph = module.add_graph("main_graph")
    with ge.es.builder(graph=graph, opset=opset) as builder:
        names = list(inspect.signature(build).parameters)[1:]
        values = [builder.input(name, *inputs[name]) for name in names]
        made = build(builder.onnx, *values)
        builder.output(*(made if isinstance(made, tuple) else (made,)))
    del graph.attributes["opset"]
    module.attributes["onnx.ir_version"] = IR_VERSIONS[opset]
    module.attributes["onnx.opset_imports"] = {"onnx": opset}
    return module


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the models that the passes are tried on.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("examples", nargs="*", choices=[[], *EXAMPLES], help="default: all")
    options = parser.parse_args()
    options.directory.mkdir(parents=True, exist_ok=True)
    for example in options.examples or EXAMPLES:
        known = variants(example)
        for name, (build, opset, *_) in known.VARIANTS.items():
            path = options.directory / f"{example}-{name}.onnx"
            ge.onnx.save(make_model(known.INPUTS, build, opset), path)
            print(path)


if __name__ == "__main__":
    main()
