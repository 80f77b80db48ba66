"""`python -m lamina`: the command line, where its script is not on the path."""

import sys

from lamina.surfaces.cli.main import main

sys.exit(main())
