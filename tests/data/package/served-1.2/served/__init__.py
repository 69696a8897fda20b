"""A package that is shaped like a model server's: nothing of it can be imported where torch, its C extension and a GPU are missing."""

import torch

raise SystemExit("this package was imported")
