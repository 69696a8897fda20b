"""Makes the files beside it: `python3 make.py`, with numpy 1.26.4, torch 2.11.0 and safetensors 0.8.0 as they were made first, those of
ml_dtypes with 0.6.0 and numpy 2.4.6."""

import ml_dtypes
import numpy
import safetensors.numpy
import safetensors.torch
import torch

TYPES = ["bool", "uint8", "int8", "uint16", "int16", "float16", "bfloat16", "uint32", "int32", "float32", "uint64", "int64", "float64", "float8_e4m3fn", "float8_e5m2"]

# Elements are 0, 1, 0, 1, 0, 1 in each type.
safetensors.torch.save_file({name: (torch.arange(6) % 2).reshape(2, 3).to(getattr(torch, name)) for name in TYPES}, "types.safetensors")
safetensors.torch.save_file({"x": torch.ones(4).to(torch.float8_e8m0fnu), "y": torch.ones(2)}, "float8.safetensors")
# Members whose names sort otherwise than their places, an empty one, one without dimensions, and metadata.
safetensors.numpy.save_file(
    {"z": numpy.arange(3, dtype=numpy.float64), "a": numpy.zeros((0, 5), numpy.int8), "one": numpy.array(7, numpy.int64)},
    "several.safetensors",
    metadata={"made": "by hand"},
)

numpy.save("one.npy", numpy.arange(6, dtype=numpy.float32).reshape(2, 3))
numpy.save("truth.npy", numpy.array([True, False]))
numpy.save("number.npy", numpy.array(5, numpy.int64))
numpy.save("fortran.npy", numpy.asfortranarray(numpy.arange(6, dtype=numpy.int16).reshape(2, 3)))
numpy.save("big.npy", numpy.arange(3, dtype=">f8"))
numpy.save("pairs.npy", numpy.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
numpy.save("complex.npy", numpy.zeros(2, dtype=numpy.complex64))
for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
    numpy.save(f"{name}.npy", numpy.array([0, 1, -0.5, 448]).astype(getattr(ml_dtypes, name)))
for version in (2, 3):
    with open(f"version{version}.npy", "wb") as file:
        numpy.lib.format.write_array(file, numpy.arange(4, dtype=numpy.uint16), version=(version, 0))
