"""What the desktop and the service share: wire schemas, codes, geometry, content ids.

No Qt, no FastAPI, no database in here. Every process of Walkaround imports this package first, which is
why the process-wide settings below stand here.
"""

import os
import sys

# The official onnxruntime wheels send telemetry unless this is set before they are imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# OpenBLAS reads this when NumPy is imported. Its products here are small: waking and spinning threads of its
# own took a third of the processor time of a comparison.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# httpx imports its own command line where rich, pygments and click are installed: 6 MB and half of the time
# that importing it takes. Without that module it goes on, as where they are not.
sys.modules["httpx._main"] = None  # type: ignore[assignment]

__version__ = "0.2.0"
"""The one place of the version: pyproject.toml, the packages and the changelog's check read it here."""
