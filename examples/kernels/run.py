"""Call the operators of the library: `python run.py build/libacme_kernels.so`."""

import sys

import numpy as np

import ge.ops as ops


def main(path: str) -> None:
    with ops.load_library(path) as library:
        x = np.array([-1.0, 0.5, 3.0], "f4")
        print(library)
        print("scale", ops.call.acme.scale(x, factor=2.0))
        print("clamp", ops.call.acme.clamp(x, high=1.0))
        print("cos", ops.call.acme.cos(x, scale=2.0))
        y, total = ops.call.acme.normalise(x)
        print("normalise", y, total)
        ops.call.acme.add_(x, 2)
        print("add_", x)
        print("join", ops.function("acme::join")(["a", "b"], None))
        try:
            ops.call.acme.cos(x, scale=0.0)
        except ops.BindError as error:
            print(error)


if __name__ == "__main__":
    main(sys.argv[1])
