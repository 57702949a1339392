"""What the desktop and the service share: wire schemas, codes, geometry, content ids.

This package imports no Qt, no FastAPI and no database. Every process of Walkaround imports it first, so it
also contains the settings below, which hold for the whole process.
"""

import os
import sys

# The official onnxruntime wheels send telemetry unless this is set before they are imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# OpenBLAS reads this when NumPy is imported. The program multiplies only small matrices: starting threads for
# them took a third of the processor time of a comparison.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# httpx imports its command line if rich, pygments and click are installed, which takes 6 MB and half of the
# import time. httpx also works without that module.
sys.modules["httpx._main"] = None  # type: ignore[assignment]
# FastAPI imports the old pydantic, if there is one, to refuse its models, of which the program has none.
sys.modules["pydantic.v1"] = None  # type: ignore[assignment]

__version__ = "0.3.0"
"""The version of the program. pyproject.toml, the packages and the check of the changelog read it here."""
