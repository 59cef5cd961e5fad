"""``python -m hypercut`` is the command ``hypercut``."""

import sys

from hypercut.cli import main

if __name__ == "__main__":
    sys.exit(main())
