"""``python -m ge``: the command without its script."""

import sys

from .cli import main

sys.exit(main())
