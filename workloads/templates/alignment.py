"""Takes the alignment of one block size out of the tensor that routing.c fills: ids of tokens sorted by expert, the expert of each block, and their padded number."""
import triton
import triton.language as tl


@triton.jit
def copy_alignment(alignments_ptr, sorted_token_ids_ptr, expert_ids_ptr, num_tokens_post_padded_ptr, row, most_ids, most_blocks, n_ids, n_blocks, BLOCK: tl.constexpr):
    from_ptr = alignments_ptr + row * (most_ids + most_blocks + 1)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(sorted_token_ids_ptr + at, tl.load(from_ptr + at, mask=at < n_ids), mask=at < n_ids)
    tl.store(expert_ids_ptr + at, tl.load(from_ptr + most_ids + at, mask=at < n_blocks), mask=at < n_blocks)
    if tl.program_id(0) == 0:
        tl.store(num_tokens_post_padded_ptr, tl.load(from_ptr + most_ids + most_blocks))
