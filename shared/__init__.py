"""What the desktop and the service share: wire schemas, codes, geometry, content ids.

No Qt, no FastAPI, no database in here. Every process of Walkaround imports this package first, which is
why the one process-wide setting below stands here.
"""

import os

# The official onnxruntime wheels send telemetry unless this is set before they are imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

__version__ = "0.2.0"
"""The one place of the version: pyproject.toml, the packages and the changelog's check read it here."""
