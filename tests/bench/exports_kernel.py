"""A product under Triton's own autotuner, for tests/bench/exports; a kernel's text has to be in a file that is imported."""
import triton
import triton.language as tl

CONFIGS = [triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 8}, num_warps=warps, num_stages=stages)
           for m, n, k, warps in ((64, 64, 64, 4), (128, 64, 64, 4), (64, 128, 64, 4), (128, 128, 64, 4), (128, 128, 64, 8), (128, 256, 64, 8), (256, 128, 64, 8), (128, 128, 32, 4))
           for stages in (2, 3, 4)]


@triton.autotune(CONFIGS, key=["M", "N", "K"])
@triton.jit
def product(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    pid, rows, columns = tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    first = pid // (GROUP_M * columns) * GROUP_M
    size = min(rows - first, GROUP_M)
    row, column = first + pid % (GROUP_M * columns) % size, pid % (GROUP_M * columns) // size
    m, n, k = row * BLOCK_M + tl.arange(0, BLOCK_M), column * BLOCK_N + tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for step in range(0, K, BLOCK_K):
        left = tl.load(a + m[:, None] * K + step + k[None, :], (m[:, None] < M) & (step + k[None, :] < K), 0.0)
        right = tl.load(b + (step + k[:, None]) * N + n[None, :], (step + k[:, None] < K) & (n[None, :] < N), 0.0)
        sums = tl.dot(left, right, sums)
    tl.store(c + m[:, None] * N + n[None, :], sums.to(c.dtype.element_ty), (m[:, None] < M) & (n[None, :] < N))
