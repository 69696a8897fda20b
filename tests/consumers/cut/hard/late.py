"""Annotations are texts here."""

from __future__ import annotations

import triton
import triton.language as language

constexpr = language.constexpr


@triton.jit
def shift(x, by: language.constexpr = 1) -> Missing:
    by_one: language.constexpr = by + 1
    return x + by_one
