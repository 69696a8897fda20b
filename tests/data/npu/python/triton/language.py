float32, float16, bfloat16, int32, int64 = "fp32", "fp16", "bf16", "i32", "i64"


class constexpr:
    def __init__(self, value=None):
        self.value = value
