"""``python -m dycl`` is the command ``dycl``."""

import sys

from dycl.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
