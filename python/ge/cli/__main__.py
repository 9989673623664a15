"""``python -m ge.cli``: the command without its script."""

import sys

from . import main

sys.exit(main())
