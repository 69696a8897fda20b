"""What somebody writes who has a kernel and PyTorch."""
import asctune, torch, triton, triton.language as tl

@triton.jit
def swiglu(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + i, mask=i < n).to(tl.float32)
    tl.store(out + i, a * tl.sigmoid(a) * tl.load(y + i, mask=i < n), mask=i < n)
x, y = torch.randn(2, 1 << 24, device="cuda", dtype=torch.bfloat16)
tuned = asctune.tune(swiglu, x, y, torch.empty_like(x), x.numel(), grid=lambda p: (triton.cdiv(x.numel(), p["B"]),), budget="20s",
                     space={"B": [256, 512, 1024, 2048, 4096], "num_warps": [2, 4, 8]}, reference=lambda x, y, out, n: torch.nn.functional.silu(x) * y)
print(tuned, tuned.rows[0]["verified_by"], tuned.rows[0]["ok_trials"])
