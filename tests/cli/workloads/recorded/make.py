#!/usr/bin/env python3
"""Writes the sets of recorded.json: what rows.c computes, as a program would have recorded it, and with deviations."""
import json
import pathlib
import struct

R, N = 4, 8
X = [k / 4 - 3 for k in range(R * N)]
MASK = [0, 1, 0, 1]
Z = [10.0, 20.0, 30.0, 40.0]
Y = [7.0 if MASK[k // N] else 2 * X[k] for k in range(R * N)]  # 7: what the memory happened to hold
Z_AFTER = [z + (not m) for z, m in zip(Z, MASK)]
TYPES = {"F32": "f", "F64": "d", "I32": "i"}


def write(name, tensors):
    header, data = {}, b""
    for tensor, (dtype, shape, values) in tensors.items():
        content = struct.pack(f"<{len(values)}{TYPES[dtype]}", *values)
        header[tensor] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    pathlib.Path(f"{name}.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


def changed(values, at, by):
    return values[:at] + [values[at] + by] + values[at + 1 :]


before = {"x": ("F32", [R, N], X), "mask": ("I32", [R], MASK), "z": ("F32", [R], Z)}
after = {"y:out": ("F32", [R, N], Y), "z:out": ("F32", [R], Z_AFTER)}
write("same", before | after)
write("bit", before | after | {"y:out": ("F32", [R, N], changed(Y, 1, 2**-21))})  # the last bit of -5.5
write("far", before | after | {"y:out": ("F32", [R, N], changed(Y, 1, 1))})
write("float64", before | {"y:out": ("F64", [R, N], changed(Y, 1, 2**-30)), "z:out": ("F64", [R], Z_AFTER)})
write("none", before)
# All rows are masked: y is left alone, and z is as it was, which a program does not record.
write("masked", before | {"mask": ("I32", [R], [1] * R), "y:out": ("F32", [R, N], Y)})
# Nothing finite in any output, and in one of two: no row is masked.
plain = before | {"mask": ("I32", [R], [0] * R)}
nan, infinite = [float("nan")], [float("inf")]
write("nan", plain | {"x": ("F32", [R, N], nan * R * N), "z": ("F32", [R], nan * R), "y:out": ("F32", [R, N], nan * R * N), "z:out": ("F32", [R], nan * R)})
write("infinite", plain | {"x": ("F32", [R, N], infinite * R * N), "y:out": ("F32", [R, N], infinite * R * N), "z:out": ("F32", [R], [z + 1 for z in Z])})
