from typing import TYPE_CHECKING

from served.triton_utils.importing import HAS_TRITON, Placeholder

if TYPE_CHECKING or HAS_TRITON:
    import triton
    import triton.language as tl
    import triton.language.extra.libdevice as tldevice
else:
    triton = Placeholder()
    tl = Placeholder()
    tldevice = Placeholder()

LOG2E = 1.4426950408889634
