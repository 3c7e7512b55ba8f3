# SPDX-License-Identifier: GPL-3.0-or-later
"""talus: contact dynamics of blocks as scripts, results of a run as arrays (docs/python.md)."""

try:
    import numpy as _numpy  # noqa: F401
except ImportError as missing:
    raise ImportError("talus needs numpy: install Debian's python3-numpy") from missing

from talus._talus import Error
from talus.results import Results, open
from talus.scene import Body, Constraint, History, Scene
from talus.version import VERSION as __version__

__all__ = ["Body", "Constraint", "Error", "History", "Results", "Scene", "open", "__version__"]
