"""What an interpreter runs first when this folder is on its path: hides modules, so that importing them fails."""

import os
import sys

for name in os.environ["HIDDEN_MODULES"].split():
    sys.modules[name] = None  # type: ignore[assignment]  # what Python takes for "it cannot be imported"
