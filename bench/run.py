"""All benchmarks; arguments go to each of them. `make bench` calls this."""

import sys

import ir

if __name__ == "__main__":
    sys.exit(ir.main())
