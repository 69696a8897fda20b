#include "reports/exchange/reader_workload.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/autotune.h"
#include "reports/tables/readers/reader.h"
#include "tuner/base/axes.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/skeleton.h"
#include "tuner/workload/templates.h"

enum { MAX_SIZES = 8, MAX_PROBLEMS = 64 };

/* Sizes and type of a layer. */
struct layer {
	int64_t sizes[MAX_SIZES];   /* those of the kernel, in its order */
	int64_t rows[MAX_PROBLEMS]; /* sizes of the rows: tokens */
	size_t n_rows;
	const char *type;
};

struct reader_kernel {
	const struct reader_ops *reader;
	const char *source;            /* package.module:kernel */
	const char *version;           /* of the package whose launches the workload has */
	const char *const *parameters; /* of the kernel in that version, in order */
	const char *file;              /* of the kernel in the workload's folder */
	const char *constants;    /* members that the library's kernel has beside the others' */
	const char *example;      /* of sizes and type */
	const char *const *sizes; /* beside the rows' and the type, "dtype" */
	const char *const *types;
	/* Fails for sizes that cannot be launched. */
	enum asc_status (*check)(const struct reader_kernel *self, const struct layer *l,
				 struct asc_err *e);
	struct skeleton_file files[SKELETON_MAX_FILES - 1]; /* the kernel's comes second */
};

/* ---- vllm:moe: invoke_fused_moe_triton_kernel() and _prepare_expert_assignment() of vLLM 0.33.0,
 * vllm/model_executor/layers/fused_moe/fused_moe.py ---- */

enum { MOE_E, MOE_N, MOE_K, MOE_TOP_K };
static const char *const moe_sizes[] = {"E", "N", "K", "top_k", NULL};
static const char *const moe_types[] = {"bf16", "f16", NULL};
static const char *const vllm_moe_parameters[] = {"a_ptr",
						  "b_ptr",
						  "c_ptr",
						  "b_bias_ptr",
						  "a_scale_ptr",
						  "b_scale_ptr",
						  "topk_weights_ptr",
						  "sorted_token_ids_ptr",
						  "expert_ids_ptr",
						  "num_tokens_post_padded_ptr",
						  "N",
						  "K",
						  "EM",
						  "num_valid_tokens",
						  "stride_am",
						  "stride_ak",
						  "stride_be",
						  "stride_bk",
						  "stride_bn",
						  "stride_cm",
						  "stride_cn",
						  "stride_asm",
						  "stride_ask",
						  "stride_bse",
						  "stride_bsk",
						  "stride_bsn",
						  "stride_bbe",
						  "stride_bbn",
						  "group_n",
						  "group_k",
						  "naive_block_assignment",
						  "BLOCK_SIZE_M",
						  "BLOCK_SIZE_N",
						  "BLOCK_SIZE_K",
						  "GROUP_SIZE_M",
						  "SPLIT_K",
						  "MUL_ROUTED_WEIGHT",
						  "top_k",
						  "compute_type",
						  "use_fp8_w8a8",
						  "use_int8_w8a8",
						  "use_int8_w8a16",
						  "per_channel_quant",
						  "HAS_BIAS",
						  "SWAP_AB",
						  "USE_TD",
						  NULL};

static enum asc_status check_moe(const struct reader_kernel *self, const struct layer *l,
				 struct asc_err *e)
{
	const int64_t experts = l->sizes[MOE_E], top_k = l->sizes[MOE_TOP_K];

	(void)self;
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
		if (l->rows[i] > INT32_MAX / top_k / 2 || experts > INT32_MAX / 2 / 256)
			return asc_err_set(e, ASC_INPUT,
					   "--set M=%" PRId64 ",E=%" PRId64 ",top_k=%" PRId64
					   ": sorted tokens are more than 2^31",
					   l->rows[i], experts, top_k);
	return ASC_OK;
}

/* ---- block-fp8: w8a8_triton_block_scaled_mm() of vLLM 0.33.0,
 * vllm/model_executor/layers/quantization/utils/fp8_utils.py; w8a8_block_fp8_matmul_triton() of
 * SGLang 0.5.23, sglang/kernels/ops/gemm/fp8_kernel.py, without SWAP_AB and SPLIT_K ---- */

enum { FP8_N, FP8_K, FP8_BLOCK_N, FP8_BLOCK_K };
static const char *const fp8_sizes[] = {"N", "K", "block_n", "block_k", NULL};
/* Parameters that the kernels of both libraries have. */
#define FP8_PARAMETERS                                                                             \
	"A", "B", "C", "As", "Bs", "M", "N", "K", "group_n", "group_k", "stride_am", "stride_ak",  \
		"stride_bk", "stride_bn", "stride_cm", "stride_cn", "stride_As_m", "stride_As_k",  \
		"stride_Bs_k", "stride_Bs_n", "BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K",      \
		"GROUP_SIZE_M"
static const char *const vllm_fp8_parameters[] = {FP8_PARAMETERS, NULL};
static const char *const sglang_fp8_parameters[] = {FP8_PARAMETERS, "needs_masking", NULL};

/* The library's default has the block of the scales as its tile. N and K need not be multiples of
 * the block: vLLM ships a file of N=576 with blocks of 128. */
static enum asc_status check_fp8(const struct reader_kernel *self, const struct layer *l,
				 struct asc_err *e)
{
	enum { LEAST = 32, MOST = 512 };

	for (size_t i = FP8_BLOCK_N; i <= FP8_BLOCK_K; i++) {
		const int64_t block = l->sizes[i];

		if (block < LEAST || block > MOST || (block & (block - 1)) != 0)
			return asc_err_set(e, ASC_INPUT,
					   "--set %s=%" PRId64
					   ": expected a power of two from %d to %d, as its tiles",
					   self->sizes[i], block, LEAST, MOST);
	}
	/* The kernel's offsets have 32 bits. */
	return l->sizes[FP8_N] > INT32_MAX / l->sizes[FP8_K]
		       ? asc_err_set(e, ASC_INPUT,
				     "--set N=%" PRId64 ",K=%" PRId64
				     ": weights are more than 2^31 elements",
				     l->sizes[FP8_N], l->sizes[FP8_K])
		       : ASC_OK;
}

static const struct reader_kernel kernels[] = {
	{.reader = &vllm_moe_reader,
	 .source = "vllm.model_executor.layers.fused_moe.fused_moe:fused_moe_kernel",
	 .version = "vLLM 0.33.0",
	 .parameters = vllm_moe_parameters,
	 .file = "fused_moe.py",
	 .example = "E=8,N=3584,K=4096,top_k=2,dtype=bf16",
	 .sizes = moe_sizes,
	 .types = moe_types,
	 .check = check_moe,
	 .constants = "",
	 .files = {{"@NAME@.json", template_vllm_moe_json, false},
		   {"alignment.py", template_alignment_py, false},
		   {"routing.c", template_routing_c_in, false}}},
	{.reader = &vllm_block_fp8_reader,
	 .source = "vllm.model_executor.layers.quantization.utils.fp8_utils:"
		   "_w8a8_triton_block_scaled_mm",
	 .version = "vLLM 0.33.0",
	 .parameters = vllm_fp8_parameters,
	 .file = "block_fp8.py",
	 .example = "N=7168,K=2048,block_n=128,block_k=128,dtype=bf16",
	 .sizes = fp8_sizes,
	 .types = moe_types,
	 .check = check_fp8,
	 .constants = "",
	 .files = {{"@NAME@.json", template_block_fp8_json, false}}},
	{.reader = &sglang_block_fp8_reader,
	 .source = "sglang.kernels.ops.gemm.fp8_kernel:_w8a8_block_fp8_matmul",
	 .version = "SGLang 0.5.23",
	 .parameters = sglang_fp8_parameters,
	 .file = "block_fp8.py",
	 .example = "N=7168,K=2048,block_n=128,block_k=128,dtype=bf16",
	 .sizes = fp8_sizes,
	 .types = moe_types,
	 .check = check_fp8,
	 .constants = "\"needs_masking\": \"K % BLOCK_SIZE_K != 0\"",
	 .files = {{"@NAME@.json", template_block_fp8_json, false}}}};

const char *const reader_kernel_names[] = {"vllm:moe", "vllm:block-fp8", "sglang:block-fp8", NULL};

const struct reader_kernel *reader_kernel_find(const char *reader)
{
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (strcmp(kernels[i].reader->name, reader) == 0)
			return &kernels[i];
	return NULL;
}

/* ---- sizes and type ---- */

static enum asc_status read_size(const struct axis *a, const char *text, int64_t *out,
				 struct asc_err *e)
{
	struct value v;

	if (!value_parse(text, strlen(text), &v) || v.kind != VALUE_INT || v.i < 1 ||
	    v.i > INT32_MAX)
		return asc_err_set(e, ASC_USAGE,
				   "--set %s=%s: expected an integer from 1 to 2^31 - 1", a->name,
				   text);
	*out = v.i;
	return ASC_OK;
}

static enum asc_status read_rows(const struct axis *a, struct layer *l, struct asc_err *e)
{
	for (size_t i = 0; i < a->n; i++) {
		int64_t row;

		if (read_size(a, a->values[i], &row, e))
			return e->status;
		for (size_t k = 0; k < l->n_rows; k++)
			if (l->rows[k] == row)
				return asc_err_set(e, ASC_USAGE,
						   "--set %s: %" PRId64 " is given twice", a->name,
						   row);
		l->rows[l->n_rows++] = row;
	}
	return ASC_OK;
}

static enum asc_status read_type(const struct reader_kernel *k, const struct axis *a,
				 struct layer *l, struct asc_err *e)
{
	struct buf types = {0};

	if (str_is_in(a->values[0], k->types)) {
		l->type = a->values[0];
		return ASC_OK;
	}
	for (const char *const *t = k->types; *t; t++)
		buf_print(&types, "%s%s", t == k->types ? "" : " or ", *t);
	(void)asc_err_set(e, ASC_USAGE, "--set dtype=%s: %s takes %s", a->values[0],
			  k->reader->name, buf_str(&types));
	buf_fini(&types);
	return e->status;
}

static enum asc_status read_axis(const struct reader_kernel *k, const struct axis *a,
				 struct layer *l, struct asc_err *e)
{
	const char *names[MAX_SIZES + 3] = {0};
	size_t n = 0;

	while (k->sizes[n] && strcmp(k->sizes[n], a->name) != 0) {
		names[n] = k->sizes[n];
		n++;
	}
	if (strcmp(a->name, k->reader->row_size) == 0)
		return read_rows(a, l, e);
	if (a->n > 1)
		return asc_err_set(e, ASC_USAGE, "--set %s: one value at a time", a->name);
	if (k->sizes[n])
		return read_size(a, a->values[0], &l->sizes[n], e);
	if (strcmp(a->name, "dtype") == 0)
		return read_type(k, a, l, e);
	names[n++] = k->reader->row_size;
	names[n++] = "dtype";
	const char *nearest = str_nearest(a->name, names);

	return nearest ? asc_err_set(e, ASC_USAGE, "--set: %s has no \"%s\" (did you mean \"%s\"?)",
				     k->reader->name, a->name, nearest)
		       : asc_err_set(e, ASC_USAGE, "--set: %s has no \"%s\"; expected %s",
				     k->reader->name, a->name, k->example);
}

/* Reads all that the axes say; rows that are not given are those of the library's files. */
static enum asc_status read_layer(const struct reader_kernel *k, const struct axes *sizes,
				  struct layer *l, struct asc_err *e)
{
	const char *missing = NULL;

	for (size_t i = 0; i < sizes->n; i++)
		if (read_axis(k, &sizes->list[i], l, e))
			return e->status;
	for (size_t i = 0; k->sizes[i]; i++)
		if (l->sizes[i] == 0 && !missing)
			missing = k->sizes[i];
	if (!missing && !l->type)
		missing = "dtype";
	if (missing)
		return asc_err_set(e, ASC_USAGE, "--set: %s is not given, expected %s", missing,
				   k->example);
	if (l->n_rows == 0)
		for (const int64_t *row = k->reader->ladder; *row; row++)
			l->rows[l->n_rows++] = *row;
	return k->check(k, l, e);
}

/* ---- the kernel ---- */

/* Holds the kernel's parameters to those that the launches of the workload pass. */
static enum asc_status check_kernel(const struct reader_kernel *k, const struct autotune *a,
				    struct asc_err *e)
{
	size_t i = 0;

	while (i < a->kernel.n_parameters && k->parameters[i] &&
	       strcmp(a->kernel.parameters[i].name, k->parameters[i]) == 0)
		i++;
	if (i == a->kernel.n_parameters && !k->parameters[i])
		return ASC_OK;
	return asc_err_set(e, ASC_INPUT,
			   "%s: parameter %zu of %s%s%s is %s, that of %s is %s: another version, "
			   "whose launches are not known",
			   a->file, i, k->source, a->version ? " of " : "",
			   a->version ? a->version : "",
			   i < a->kernel.n_parameters ? a->kernel.parameters[i].name : "none",
			   k->version, k->parameters[i] ? k->parameters[i] : "none");
}

/* ---- the workload ---- */

static void write_problem(const struct reader_kernel *k, const struct layer *l, int64_t row,
			  struct json_writer *w)
{
	struct rule_size sizes[MAX_SIZES + 1] = {{k->reader->row_size, row, row}};
	const struct asctune_type type = {"dtype", l->type};
	struct reader_problem p = {.kernel = k->reader->op,
				   .device = "",
				   .sizes = sizes,
				   .n_sizes = 1,
				   .types = &type,
				   .n_types = 1};
	struct reader_config c;
	char *name = str_print("%s%" PRId64, k->reader->row_size, row);

	for (size_t i = 0; k->sizes[i]; i++)
		sizes[p.n_sizes++] = (struct rule_size){k->sizes[i], l->sizes[i], l->sizes[i]};
	json_write_begin(w, NULL, '{');
	json_write_string(w, "name", name);
	json_write_begin(w, "dims", '{');
	for (size_t i = 0; i < p.n_sizes; i++)
		json_write_int(w, sizes[i].name, sizes[i].low);
	json_write_end(w, '}');
	json_write_begin(w, "dtypes", '{');
	json_write_string(w, "T", l->type);
	json_write_end(w, '}');
	if (k->reader->find_default(&p, &c)) {
		json_write_begin(w, "default", '{');
		for (size_t i = 0; i < c.n; i++)
			json_write_value(w, c.list[i].name, c.list[i].value);
		json_write_end(w, '}');
	}
	json_write_end(w, '}');
	w->out->failed |= !name;
	free(name);
}

/* Appends a line for each row. */
static void write_problems(const struct reader_kernel *k, const struct layer *l, struct buf *out)
{
	for (size_t i = 0; i < l->n_rows; i++) {
		struct json_writer w = {.out = out};

		buf_add_str(out, i ? ",\n    " : "    ");
		write_problem(k, l, l->rows[i], &w);
	}
}

static enum asc_status write_folder(const struct reader_kernel *k, const struct layer *l,
				    const struct autotune *a, const char *problems,
				    const char *name, struct asc_err *e)
{
	struct skeleton s = {.files = {k->files[0], {k->file, a->text, true}}};
	struct skeleton_mark marks[MAX_SIZES + 6] = {0};
	char numbers[MAX_SIZES][24];
	struct buf origin = {0};
	struct json_writer w = {.out = &origin};
	size_t n = 0;

	for (size_t i = 1; k->files[i].name; i++)
		s.files[i + 1] = k->files[i];
	for (; k->sizes[n]; n++) {
		snprintf(numbers[n], sizeof numbers[n], "%" PRId64, l->sizes[n]);
		marks[n] = (struct skeleton_mark){k->sizes[n], numbers[n]};
	}
	autotune_write_origin(a, NULL, &w);
	marks[n++] = (struct skeleton_mark){"PROBLEMS", problems};
	marks[n++] = (struct skeleton_mark){"SOURCE", buf_str(&origin)};
	marks[n++] = (struct skeleton_mark){"LIBRARY", k->reader->library};
	marks[n++] = (struct skeleton_mark){"ENTRY", a->kernel.name};
	marks[n++] = (struct skeleton_mark){"CONSTANTS", k->constants};
	enum asc_status status = buf_check(&origin, e);

	if (status == ASC_OK)
		status = skeleton_write(&s, name, marks, e);
	buf_fini(&origin);
	return status;
}

static void say(const struct reader_kernel *k, const struct autotune *a, const char *name,
		size_t n_problems, struct buf *said)
{
	buf_print(said, "%s: %s.json with %zu problem%s, %s", name, name, n_problems,
		  n_problems == 1 ? "" : "s", k->file);
	if (a->version)
		buf_print(said, " of %s %s", a->package, a->version);
	for (size_t i = 1; k->files[i].name; i++)
		buf_print(said, "%s%s", k->files[i + 1].name ? ", " : " and ", k->files[i].name);
}

enum asc_status reader_workload_write(const struct reader_kernel *k, const struct axes *sizes,
				      const char *package, uint64_t limit_s, const char *name,
				      struct buf *said, struct asc_err *e)
{
	struct layer l = {0};
	struct autotune *a = NULL;
	struct buf problems = {0};
	enum asc_status s = read_layer(k, sizes, &l, e);

	if (s == ASC_OK)
		write_problems(k, &l, &problems);
	if (s == ASC_OK)
		s = buf_check(&problems, e);
	if (s == ASC_OK)
		s = autotune_open(k->source, package, limit_s, &a, e);
	if (s == ASC_OK)
		s = check_kernel(k, a, e);
	if (s == ASC_OK && !a->text)
		s = asc_err_set(e, ASC_INPUT, "%s cannot be written out: it %s", k->source,
				a->reason ? a->reason : "has no text");
	if (s == ASC_OK)
		s = write_folder(k, &l, a, buf_str(&problems), name, e);
	if (s == ASC_OK)
		say(k, a, name, l.n_rows, said);
	if (s == ASC_OK)
		s = buf_check(said, e);
	autotune_close(a);
	buf_fini(&problems);
	return s;
}
