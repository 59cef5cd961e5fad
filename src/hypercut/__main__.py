"""``python -m hypercut`` is the command ``hypercut``."""

import sys

from hypercut.cli import main

sys.exit(main())
