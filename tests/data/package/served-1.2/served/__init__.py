"""A package that is shaped like a model server's: nothing of it can be imported where torch, its C extension and a GPU are missing."""

import torch

from . import parts

raise SystemExit("this package was imported")
