"""What vLLM 0.33.0 takes for a layer of experts in bf16: a row of a table, or its own default."""
import json


def default(m, experts):
    """As get_default_config() chooses it."""
    return {"BLOCK_SIZE_M": 16 if m <= 32 else 32 if m <= 96 else 64 if m <= 512 else 128, "BLOCK_SIZE_N": 64 if m <= 64 else 128,
            "BLOCK_SIZE_K": 128 if m <= 64 else 64, "GROUP_SIZE_M": 16 if m // experts > 128 else 1, "num_warps": 4 if m <= 128 else 8,
            "num_stages": 4 if m <= 32 else 3}


def read_rows(path):
    """A table's rows, {M: configuration}."""
    return {int(m): config for m, config in json.loads(path.read_text()).items() if m.isdigit()}


def nearest(rows, m):
    """The row that serves `m`, of those at the same distance the first in the file; None without rows."""
    return rows[min(rows, key=lambda row: abs(row - m))] if rows else None
