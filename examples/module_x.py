"""Agent A builds module X; agent B, in another process, profits from what A found out.

    python examples/module_x.py

A and B share nothing but a store. B waits on the blackboard until A has built the module, finds A's
distilled experience by asking for it, and does not repeat A's mistake. A is killed on the way.
What the two do stands in `src/lamina/story/agents.py`. The status is 1 unless all went as told.
"""

import sys

from lamina.surfaces.cli.output import Printer
from lamina.surfaces.cli.story import tell

if __name__ == "__main__":
    sys.exit(0 if tell(Printer()) else 1)
