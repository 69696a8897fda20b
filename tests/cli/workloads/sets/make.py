"""Makes the files beside it: `python3 make.py`, with numpy 1.26.4 and safetensors 0.8.0 as they were made first."""

import numpy
import safetensors.numpy

N = 256
draw = numpy.random.default_rng(1)

# Numbers of the first set are below 50, some of the second are not.
for place, spread in enumerate([1, 100]):
    x = numpy.clip(spread * draw.standard_normal(N), -49 * spread, 49 * spread).astype(numpy.float32)
    index = draw.permutation(N).astype(numpy.int32)
    safetensors.numpy.save_file({"x": x, "index": index}, f"set{place}.safetensors")
numpy.save("w.npy", draw.standard_normal(N).astype(numpy.float32))
