#include "reports/exchange/reader_kernel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/templates.h"

/* ---- marks ---- */

void reader_marks_add(struct reader_marks *m, const char *name, const char *text)
{
	if (m->n == SKELETON_MAX_MARKS)
		m->failed = true;
	else
		m->list[m->n++] = (struct skeleton_mark){name, text};
}

void reader_marks_take(struct reader_marks *m, const char *name, char *text)
{
	m->failed |= !text || m->n_texts == sizeof m->texts / sizeof *m->texts;
	if (m->failed) {
		free(text);
		return;
	}
	m->texts[m->n_texts++] = text;
	reader_marks_add(m, name, text);
}

void reader_marks_fini(struct reader_marks *m)
{
	for (size_t i = 0; i < m->n_texts; i++)
		free(m->texts[i]);
}

static void add_all(struct reader_marks *m, const struct skeleton_mark *list)
{
	for (; list->name; list++)
		reader_marks_add(m, list->name, list->text);
}

/* ---- blocks of scales ---- */

/* The library's default has the block of the scales as its tile. */
static enum asc_status check_blocks(const struct reader_kernel *self, const struct reader_layer *l,
				    size_t first, struct asc_err *e)
{
	enum { LEAST = 32, MOST = 512 };

	for (size_t i = first; i <= first + 1; i++) {
		const int64_t block = l->sizes[i];

		if (block < LEAST || block > MOST || (block & (block - 1)) != 0)
			return asc_err_set(e, ASC_INPUT,
					   "--set %s=%" PRId64
					   ": expected a power of two from %d to %d, as its tiles",
					   self->sizes[i], block, LEAST, MOST);
	}
	return ASC_OK;
}

/* ---- layers of experts: invoke_fused_moe_triton_kernel() and _prepare_expert_assignment() of vLLM
 * 0.33.0, vllm/model_executor/layers/fused_moe/fused_moe.py; invoke_fused_moe_kernel() of SGLang
 * 0.5.23, sglang/kernels/ops/moe/fused_moe_triton_kernels.py, and moe_align_block_size() of
 * sglang/srt/layers/moe/moe_runner/triton_utils/moe_align_block_size.py. One GPU has all experts.
 * ---- */

enum {
	MOE_E = READER_PLACE_E,
	MOE_N,
	MOE_K,
	MOE_TOP_K = READER_PLACE_TOP_K,
	MOE_BLOCK_N,
	MOE_BLOCK_K
};
static const char *const moe_sizes[] = {"E", "N", "K", "top_k", "block_n", "block_k", NULL};
static const struct reader_type moe_types[] = {
	{"bf16", "bf16"}, {"f16", "f16"}, {"fp8_w8a8", "bf16"}, {0}};

static bool is_fp8(const struct reader_layer *l)
{
	return strcmp(l->type.name, "fp8_w8a8") == 0;
}

static bool has_blocks(const struct reader_layer *l)
{
	return l->sizes[MOE_BLOCK_N] != 0;
}

/* Sizes that the libraries' layers ask of blocks of scales: validate_fp8_block_shape_moe() and
 * per_token_group_quant_fp8() of vLLM, Fp8MoEMethod.create_weights() and
 * sglang_per_token_group_quant_fp8() of SGLang. */
static enum asc_status check_moe_blocks(const struct reader_kernel *self,
					const struct reader_layer *l, struct asc_err *e)
{
	static const struct {
		size_t size, block;
	} multiples[] = {{MOE_N, MOE_BLOCK_N}, {MOE_N, MOE_BLOCK_K}, {MOE_K, MOE_BLOCK_K}};
	const int64_t block_n = l->sizes[MOE_BLOCK_N], block_k = l->sizes[MOE_BLOCK_K];

	if (!block_n && !block_k)
		return ASC_OK;
	if (!is_fp8(l))
		return asc_err_set(e, ASC_USAGE, "--set %s: blocks of scales are for dtype=%s",
				   block_n ? "block_n" : "block_k", "fp8_w8a8");
	if (!block_n || !block_k)
		return asc_err_set(e, ASC_USAGE,
				   "--set: %s is not given, and a block of scales has two sizes",
				   block_n ? "block_k" : "block_n");
	if (check_blocks(self, l, MOE_BLOCK_N, e))
		return e->status;
	for (size_t i = 0; i < sizeof multiples / sizeof *multiples; i++) {
		const int64_t size = l->sizes[multiples[i].size],
			      block = l->sizes[multiples[i].block];

		if (size % block != 0)
			return asc_err_set(e, ASC_INPUT,
					   "--set %s=%" PRId64 ",%s=%" PRId64
					   ": expected a multiple of the block, as %s has it",
					   self->sizes[multiples[i].size], size,
					   self->sizes[multiples[i].block], block, self->version);
	}
	return ASC_OK;
}

static enum asc_status check_moe(const struct reader_kernel *self, const struct reader_layer *l,
				 struct asc_err *e)
{
	const int64_t experts = l->sizes[MOE_E], top_k = l->sizes[MOE_TOP_K];

	if (experts > self->most_experts)
		return asc_err_set(e, ASC_INPUT,
				   "--set E=%" PRId64 ": %s sorts the tokens of at most %" PRId64
				   " experts",
				   experts, self->version, self->most_experts);
	if (top_k > experts)
		return asc_err_set(e, ASC_INPUT,
				   "--set top_k=%" PRId64 ": a layer of E=%" PRId64
				   " experts has no %" PRId64 " different ones for a token",
				   top_k, experts, top_k);
	/* Strides are passed as integers of 32 bits; larger ones are another kernel to Triton. */
	if (l->sizes[MOE_N] > INT32_MAX / 2 / l->sizes[MOE_K])
		return asc_err_set(e, ASC_INPUT,
				   "--set N=%" PRId64 ",K=%" PRId64
				   ": an expert's weights, 2 * N * K, are more than 2^31 elements",
				   l->sizes[MOE_N], l->sizes[MOE_K]);
	for (size_t i = 0; i < l->n_rows; i++)
		if (l->rows[i] > INT32_MAX / top_k / 2)
			return asc_err_set(e, ASC_INPUT,
					   "--set M=%" PRId64 ",E=%" PRId64 ",top_k=%" PRId64
					   ": sorted tokens are more than 2^31",
					   l->rows[i], experts, top_k);
	return check_moe_blocks(self, l, e);
}

/* vLLM's launcher cuts a step along K to the shorter side of the block. */
static void cut_step(const struct reader_layer *l, struct reader_config *c)
{
	const int64_t n = l->sizes[MOE_BLOCK_N], k = l->sizes[MOE_BLOCK_K], most = n < k ? n : k;

	for (size_t i = 0; has_blocks(l) && i < c->n; i++)
		if (strcmp(c->list[i].name, "BLOCK_SIZE_K") == 0 && c->list[i].value.i > most)
			c->list[i].value.i = most;
}

/* Launches of a type: without scales, with a scale for each tensor, with scales of blocks. */
enum moe_kind { MOE_PLAIN, MOE_FP8, MOE_BLOCK_FP8 };

static enum moe_kind kind_of(const struct reader_layer *l)
{
	return !is_fp8(l) ? MOE_PLAIN : has_blocks(l) ? MOE_BLOCK_FP8 : MOE_FP8;
}

#define VERIFY(tolerances)          "{\"kind\": \"allclose\", \"tolerance\": {" tolerances "}}"
#define TOLERANCE(type, atol, rtol) "\"" type "\": {\"atol\": \"" atol "\", \"rtol\": \"" rtol "\"}"

/* Marks of a kind. Results are of the size of 1 in each, as scales undo the large numbers that
 * elements of 8 bits have. Swapped operands are for a compute capability of 9.0 alone, in both
 * libraries. */
#define FP8_TENSORS                                                                                \
	{"ELEMENT", "f8e4m3"}, {"X_STD", "64"}, {"W1_STD", "64"}, {"W2_STD", "64"},                \
	{                                                                                          \
		"TABLE_TYPE", "fp8_w8a8"                                                           \
	}
#define FP8_CALLS                                                                                  \
	{"A_SCALE", "@A@_scale"}, {"B_SCALE", "@B@_scale"}, {"FP8", "True"},                       \
	{                                                                                          \
		"SWAP", "device.compute_capability == 90 and BLOCK_SIZE_M < 64 and "               \
			"BLOCK_SIZE_N >= 64"                                                       \
	}
#define PLAIN_STRIDES                                                                              \
	{"A_SCALE_ROW", "0"}, {"A_SCALE_STEP", "0"}, {"B_SCALE_STEP", "0"}, {"GROUP_N", "0"},      \
	{                                                                                          \
		"GROUP_K", "0"                                                                     \
	}

static const struct skeleton_mark moe_tensors[][9] = {
	[MOE_PLAIN] = {{"ELEMENT", "T"},
		       {"X_STD", "1"},
		       {"W1_STD", "\"K ** -0.5\""},
		       {"W2_STD", "\"N ** -0.5\""},
		       {"TABLE_TYPE", "T"},
		       {"SCALES", ""},
		       {"BLOCK_SIZES", ""},
		       {"VERIFY", VERIFY(TOLERANCE("bf16", "2.0 ** -8", "2.0 ** -7") ", " TOLERANCE(
					  "f16", "2.0 ** -11", "2.0 ** -10"))}},
	/* GPUs sum products of 8 bits in fewer bits than f32 has. */
	[MOE_FP8] = {FP8_TENSORS,
		     {"SCALES", template_moe_fp8_in},
		     {"BLOCK_SIZES", ""},
		     {"VERIFY", VERIFY(TOLERANCE("bf16", "2.0 ** -4", "2.0 ** -6"))}},
	[MOE_BLOCK_FP8] = {FP8_TENSORS,
			   {"SCALES", template_moe_block_fp8_in},
			   {"BLOCK_SIZES", ", \"block_n\": \"block_n\", \"block_k\": \"block_k\""},
			   {"VERIFY", VERIFY(TOLERANCE("bf16", "2.0 ** -7", "2.0 ** -7"))}},
};

static const struct skeleton_mark moe_calls[][10] = {
	[MOE_PLAIN] = {{"A_SCALE", "none"},
		       {"B_SCALE", "none"},
		       {"FP8", "False"},
		       {"SWAP", "False"},
		       PLAIN_STRIDES},
	[MOE_FP8] = {FP8_CALLS, PLAIN_STRIDES},
	[MOE_BLOCK_FP8] = {FP8_CALLS,
			   {"A_SCALE_ROW", "@STEPS@ // block_k"},
			   {"A_SCALE_STEP", "1"},
			   {"B_SCALE_STEP", "1"},
			   {"GROUP_N", "block_n"},
			   {"GROUP_K", "block_k"}},
};

/* Both products of a layer. */
static const struct skeleton_mark moe_products[][11] = {
	{{"A", "x"},
	 {"B", "w1"},
	 {"C", "up"},
	 {"ROWS", "2 * N"},
	 {"STEPS", "K"},
	 {"A_ROWS", "M"},
	 {"WEIGHTED", "False"},
	 {"TOP_K", "top_k"},
	 {"ROUTER_TOP_K", "1"},
	 {"COMMA", ","}},
	{{"A", "gated"},
	 {"B", "w2"},
	 {"C", "down"},
	 {"ROWS", "K"},
	 {"STEPS", "N"},
	 {"A_ROWS", "M * top_k"},
	 {"WEIGHTED", "True"},
	 {"TOP_K", "1"},
	 {"ROUTER_TOP_K", "top_k"},
	 {"COMMA", ""}},
};

/* Parts of a workload that one library has of its own. */
struct moe_library {
	const char *call;               /* text of one */
	const char *ids;                /* formula: length of the sorted tokens' ids */
	const char *expert[3], *row[3]; /* strides of the weights' scales, by kind */
	const char *step;               /* condition of a step along a block of scales */
	bool few;                       /* few tokens for many experts are not sorted */
};

#define FEW_IDS      "M * top_k * BLOCK_SIZE_M"
#define BLOCKS       "ceil_div(@ROWS@, block_n)"
#define BLOCK_EXPERT BLOCKS " * (@STEPS@ // block_k)"

/* vLLM passes no stride along a dimension of one block, and cuts a step to the block's shorter
 * side: a longer one is the same launch. */
static const struct moe_library vllm_moe = {
	.call = template_vllm_moe_call_in,
	.ids = "min(" FEW_IDS ", M * top_k + E * (BLOCK_SIZE_M - 1))",
	.expert = {"0", "1", BLOCK_EXPERT},
	.row = {"0", "0", "@STEPS@ // block_k if " BLOCKS " > 1 else 0"},
	.step = "        \"BLOCK_SIZE_K <= min(block_n, block_k)\",\n",
	.few = true};

/* SGLang sorts for one expert more, whose tokens are on other GPUs, and in whole vectors. */
static const struct moe_library sglang_moe = {
	.call = template_sglang_moe_call_in,
	.ids = "align(min(" FEW_IDS ", M * top_k + (E + 1) * (BLOCK_SIZE_M - 1)), 4)",
	.expert = {"0", "0", BLOCK_EXPERT},
	.row = {"0", "0", "@STEPS@ // block_k"},
	.step = "        \"block_k % BLOCK_SIZE_K == 0\",\n"};

/* Fills marks in a text that is heap; NULL: out of memory. */
static char *fill(const char *text, const struct skeleton_mark *marks)
{
	struct buf out = {0};

	skeleton_fill(text, marks, &out);
	return buf_take(&out);
}

/* Makes an implementation: calls with the marks of both products, in what the library has of the
 * kind. */
static char *write_implementation(const struct moe_library *lib, enum moe_kind kind, bool few,
				  const char *entry)
{
	struct reader_marks m = {0}, whole = {0};
	const char *ids = few ? FEW_IDS : lib->ids;

	reader_marks_add(&m, "ENTRY", entry);
	reader_marks_add(&m, "IDS", ids);
	reader_marks_add(&m, "SORTED", few ? "none" : "sorted_token_ids");
	reader_marks_add(&m, "EXPERTS", few ? "topk_ids" : "expert_ids");
	reader_marks_add(&m, "PADDED", few ? "padded" : "num_tokens_post_padded");
	reader_marks_add(&m, "NAIVE", few ? "True" : "False");
	reader_marks_add(&m, "B_SCALE_EXPERT", lib->expert[kind]);
	reader_marks_add(&m, "B_SCALE_ROW", lib->row[kind]);
	add_all(&m, moe_calls[kind]);
	char *call = fill(lib->call, m.list), *out = NULL;

	reader_marks_add(&whole, "IMPLEMENTATION", few ? "fused_moe_few" : "fused_moe");
	reader_marks_add(&whole, "WHEN",
			 few        ? "      \"when\": \"M * top_k * 4 <= E\",\n"
			 : lib->few ? "      \"when\": \"M * top_k * 4 > E\",\n"
				    : "");
	reader_marks_add(&whole, "COMMA", lib->few && !few ? "," : "");
	reader_marks_add(&whole, "STEP", kind == MOE_BLOCK_FP8 ? lib->step : "");
	reader_marks_take(&whole, "SORT",
			  few ? str_dup("      \"calls\": [\n")
			      : fill(template_moe_sort_in, m.list));
	reader_marks_take(&whole, "UP", call ? fill(call, moe_products[0]) : NULL);
	reader_marks_take(&whole, "DOWN", call ? fill(call, moe_products[1]) : NULL);
	if (!whole.failed)
		out = fill(template_moe_implementation_in, whole.list);
	free(call);
	reader_marks_fini(&whole);
	return out;
}

static char *write_tokens(const struct reader_layer *l)
{
	enum { IN_LINE = 16 };
	struct buf out = {0};

	for (size_t i = 0; i < l->n_experts; i++)
		buf_print(&out, "%s%.17g",
			  i == 0        ? ""
			  : i % IN_LINE ? ", "
					: ",\n\t",
			  l->tokens[i]);
	return buf_take(&out);
}

static void add_moe_marks(const struct reader_kernel *self, const struct reader_layer *l,
			  const char *entry, struct reader_marks *out)
{
	const struct moe_library *lib =
		strcmp(self->reader->library, "vllm") == 0 ? &vllm_moe : &sglang_moe;
	const enum moe_kind kind = kind_of(l);
	char *sorted = write_implementation(lib, kind, false, entry), *few = NULL;

	add_all(out, moe_tensors[kind]);
	reader_marks_add(out, "FEW", lib->few ? template_moe_few_in : "");
	if (lib->few)
		few = write_implementation(lib, kind, true, entry);
	reader_marks_take(out, "IMPLEMENTATIONS",
			  sorted && (few || !lib->few) ? str_print("%s%s", sorted, few ? few : "")
						       : NULL);
	reader_marks_take(out, "TOKENS", write_tokens(l));
	free(sorted);
	free(few);
}

/* ---- block-fp8: w8a8_triton_block_scaled_mm() of vLLM 0.33.0,
 * vllm/model_executor/layers/quantization/utils/fp8_utils.py; w8a8_block_fp8_matmul_triton() of
 * SGLang 0.5.23, sglang/kernels/ops/gemm/fp8_kernel.py, without SWAP_AB and SPLIT_K ---- */

enum { FP8_N, FP8_K, FP8_BLOCK_N, FP8_BLOCK_K };
static const char *const fp8_sizes[] = {"N", "K", "block_n", "block_k", NULL};
static const struct reader_type fp8_types[] = {{"bf16", "bf16"}, {"f16", "f16"}, {0}};

/* N and K need not be multiples of the block: vLLM ships a file of N=576 with blocks of 128. */
static enum asc_status check_fp8(const struct reader_kernel *self, const struct reader_layer *l,
				 struct asc_err *e)
{
	if (check_blocks(self, l, FP8_BLOCK_N, e))
		return e->status;
	/* The kernel's offsets have 32 bits. */
	return l->sizes[FP8_N] > INT32_MAX / l->sizes[FP8_K]
		       ? asc_err_set(e, ASC_INPUT,
				     "--set N=%" PRId64 ",K=%" PRId64
				     ": weights are more than 2^31 elements",
				     l->sizes[FP8_N], l->sizes[FP8_K])
		       : ASC_OK;
}

static void add_fp8_marks(const struct reader_kernel *self, const struct reader_layer *l,
			  const char *entry, struct reader_marks *out)
{
	(void)l;
	reader_marks_add(out, "ENTRY", entry);
	reader_marks_add(out, "CONSTANTS",
			 strcmp(self->reader->library, "vllm") == 0
				 ? ""
				 : "\"needs_masking\": \"K % BLOCK_SIZE_K != 0\"");
}

/* ---- the list ---- */

/* Parameters that the kernels of both libraries have, in the same order. */
#define MOE_STRIDES "stride_am stride_ak stride_be stride_bk stride_bn "
#define MOE_SCALES  "stride_asm stride_ask stride_bse stride_bsk stride_bsn "
#define MOE_BLOCKS  "BLOCK_SIZE_M BLOCK_SIZE_N BLOCK_SIZE_K GROUP_SIZE_M "
#define MOE_TYPES                                                                                  \
	"MUL_ROUTED_WEIGHT top_k compute_type use_fp8_w8a8 use_int8_w8a8 use_int8_w8a16 "          \
	"per_channel_quant "
#define FP8_PARAMETERS                                                                             \
	"A B C As Bs M N K group_n group_k stride_am stride_ak stride_bk stride_bn stride_cm "     \
	"stride_cn stride_As_m stride_As_k stride_Bs_k stride_Bs_n " MOE_BLOCKS

#define MOE_FILES                                                                                  \
	{                                                                                          \
		{"@NAME@.json", template_moe_json, false},                                         \
			{"alignment.py", template_alignment_py, false},                            \
		{                                                                                  \
			"routing.c", template_routing_c_in, false                                  \
		}                                                                                  \
	}
#define MOE_KERNEL                                                                                 \
	.file = "fused_moe.py", .example = "E=8,N=3584,K=4096,top_k=2,dtype=bf16",                 \
	.sizes = moe_sizes, .n_needed = MOE_BLOCK_N, .types = moe_types, .check = check_moe,       \
	.add_marks = add_moe_marks, .files = MOE_FILES
#define FP8_KERNEL                                                                                 \
	.file = "block_fp8.py", .example = "N=7168,K=2048,block_n=128,block_k=128,dtype=bf16",     \
	.sizes = fp8_sizes, .n_needed = FP8_BLOCK_K + 1, .types = fp8_types, .check = check_fp8,   \
	.add_marks = add_fp8_marks, .files = {{"@NAME@.json", template_block_fp8_json, false}}

static const struct reader_kernel kernels[] = {
	{.reader = &vllm_moe_reader,
	 .source = "vllm.model_executor.layers.fused_moe.fused_moe:fused_moe_kernel",
	 .version = "vLLM 0.33.0",
	 .parameters = "a_ptr b_ptr c_ptr b_bias_ptr a_scale_ptr b_scale_ptr topk_weights_ptr "
		       "sorted_token_ids_ptr expert_ids_ptr num_tokens_post_padded_ptr N K EM "
		       "num_valid_tokens " MOE_STRIDES "stride_cm stride_cn " MOE_SCALES
		       "stride_bbe stride_bbn group_n group_k naive_block_assignment " MOE_BLOCKS
		       "SPLIT_K " MOE_TYPES "HAS_BIAS SWAP_AB USE_TD",
	 /* TritonExperts.is_supported_config() of vllm/model_executor/layers/fused_moe/experts/
	  * triton_moe.py: fewer than 1024, in multiples of 32. */
	 .most_experts = 992,
	 .cut = cut_step,
	 MOE_KERNEL},
	{.reader = &vllm_block_fp8_reader,
	 .source = "vllm.model_executor.layers.quantization.utils.fp8_utils:"
		   "_w8a8_triton_block_scaled_mm",
	 .version = "vLLM 0.33.0",
	 .parameters = FP8_PARAMETERS,
	 FP8_KERNEL},
	{.reader = &sglang_moe_reader,
	 .source = "sglang.kernels.ops.moe.fused_moe_triton_kernels:fused_moe_kernel",
	 .version = "SGLang 0.5.23",
	 .parameters =
		 "a_ptr a_desc b_ptr b_desc bias_ptr c_ptr a_scale_ptr b_scale_ptr "
		 "topk_weights_ptr sorted_token_ids_ptr expert_ids_ptr "
		 "num_tokens_post_padded_ptr add_mask_ptr N K EM num_valid_tokens " MOE_STRIDES
		 "stride_bias_e stride_bias_n stride_cm stride_cn " MOE_SCALES
		 "group_n group_k " MOE_BLOCKS MOE_TYPES
		 "even_Ks c_sorted swap_ab FUSE_ADD_TO_OUTPUT MASK_OUTPUT "
		 "FUSE_SUM_ALL_REDUCE ROUTER_TOPK FUSE_SWIGLU USE_GDC GDC_EARLY "
		 "A_OUTPUT_SLICES A_OUTPUT_SLICE_WIDTH A_OUTPUT_SLICE_K",
	 .most_experts = 8191, /* moe_align_block_size(), where it counts more than the tokens */
	 MOE_KERNEL},
	{.reader = &sglang_block_fp8_reader,
	 .source = "sglang.kernels.ops.gemm.fp8_kernel:_w8a8_block_fp8_matmul",
	 .version = "SGLang 0.5.23",
	 .parameters = FP8_PARAMETERS "needs_masking",
	 FP8_KERNEL}};

const char *const reader_kernel_names[] = {"vllm:moe", "vllm:block-fp8", "sglang:moe",
					   "sglang:block-fp8", NULL};

const struct reader_kernel *reader_kernel_find(const char *reader)
{
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (strcmp(kernels[i].reader->name, reader) == 0)
			return &kernels[i];
	return NULL;
}
