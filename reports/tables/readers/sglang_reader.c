/* SGLang's tables of its Triton kernels, as SGLang 0.5.23 reads them: get_config_file_name(),
 * get_moe_configs(), try_get_optimal_moe_config() and get_default_config() of
 * sglang/srt/layers/moe/moe_runner/triton_utils/fused_moe_triton_config.py,
 * get_w8a8_block_fp8_configs() of sglang/kernels/ops/gemm/fp8_kernel.py. */
#include <inttypes.h>
#include <string.h>

#include "reports/tables/readers/size_rows.h"
#include "tuner/base/buf.h"

/* Shared memory of a block below which SGLang takes smaller tiles for fp8. */
enum { LOW_SHARED = 128 * 1024 };

static const struct size_rows_type types[] = {{"bf16", NULL, 2},
					      {"f16", NULL, 2},
					      {"f32", "float32", 4},
					      {"float32", "float32", 4},
					      {"f8e4m3", "fp8_w8a8", 1},
					      {"fp8_w8a8", "fp8_w8a8", 1},
					      {"int8_w8a8", "int8_w8a8", 1},
					      {"int8_w8a16", "int8_w8a16", 2},
					      {0}};
static const struct size_rows_type fp8_types[] = {
	{"f8e4m3", "fp8_w8a8", 1}, {"fp8_w8a8", "fp8_w8a8", 1}, {0}};

/* Appends the device's name, each blank as '_'. A slash stays in what SGLang asks for, where it
 * leads into a folder that nobody makes. */
static enum asc_status add_device(const struct reader_problem *p, struct buf *out,
				  struct asc_err *e)
{
	if (strchr(p->device, '/'))
		return asc_err_set(e, ASC_INPUT,
				   "SGLang takes the name of its device, %.200s, for a path, as it "
				   "has a '/'",
				   p->device);
	for (const char *c = p->device; *c; c++)
		buf_add(out, *c == ' ' ? "_" : c, 1);
	return ASC_OK;
}

/* ---- MoE ---- */

/* Appends "configs/triton_3_6_0/". SGLang sorts all such folders by their numbers, and fails where
 * one has none. */
static enum asc_status add_folder(const char *triton, struct buf *out, struct asc_err *e)
{
	if (!triton)
		return asc_err_set(e, ASC_INPUT, "Triton's version is not recorded");
	if (triton[strspn(triton, "0123456789.")] || strstr(triton, "..") || !*triton ||
	    *triton == '.' || triton[strlen(triton) - 1] == '.')
		return asc_err_set(e, ASC_INPUT,
				   "SGLang has no folder for Triton %.100s: expected numbers "
				   "alone",
				   triton);
	buf_add_str(out, "configs/triton_");
	for (const char *c = triton; *c; c++)
		buf_add(out, *c == '.' ? "_" : c, 1);
	buf_add_char(out, '/');
	return ASC_OK;
}

static enum asc_status name_moe_file(const struct reader_problem *p, const char *triton,
				     struct buf *out, struct asc_err *e)
{
	const struct size_rows_block block = size_rows_get_block(p);
	const struct size_rows_type *type;

	if (size_rows_find_type(p, types, &type, e) || add_folder(triton, out, e))
		return e->status;
	buf_print(out, "E=%" PRId64 ",N=%" PRId64 ",device_name=", reader_get_size(p, "E", 0),
		  reader_get_size(p, "N", 0));
	if (add_device(p, out, e))
		return e->status;
	if (type->word)
		buf_print(out, ",dtype=%s", type->word);
	if (block.n)
		buf_print(out, ",block_shape=[%" PRId64 ", %" PRId64 "]", block.n, block.k);
	buf_add_str(out, ".json");
	return size_rows_check_name(p, out, e);
}

static enum asc_status check_moe(const struct reader_problem *p, const struct reader_config *c,
				 struct asc_err *e)
{
	const struct size_rows_type *type;

	return size_rows_find_type(p, types, &type, e) ? e->status
						       : size_rows_check(p, c, type->bytes, e);
}

/* get_default_config() for NVIDIA GPUs, without Marlin. Where it names neither warps nor stages,
 * Triton's own 4 and 3 count. */
static bool find_moe_default(const struct reader_problem *p, struct reader_config *out)
{
	const struct size_rows_block block = size_rows_get_block(p);
	const bool few = reader_get_size(p, "M", 0) <= reader_get_size(p, "E", 0);
	const struct size_rows_type *type;
	struct asc_err ignored;

	if (size_rows_find_type(p, types, &type, &ignored))
		return false;
	const bool fp8 = type->word && strcmp(type->word, "fp8_w8a8") == 0;

	if (fp8 && block.k)
		*out = size_rows_config(64, block.n, block.k, 32, 4, 3);
	else if (fp8 && p->shared_bytes > 0 && p->shared_bytes < LOW_SHARED)
		*out = few ? size_rows_config(32, 64, 256, 1, 4, 4)
			   : size_rows_config(64, 128, 256, 64, 4, 2);
	else if (fp8)
		*out = few ? size_rows_config(64, 128, 128, 1, 4, 4)
			   : size_rows_config(128, 256, 128, 32, 8, 4);
	else
		*out = few ? size_rows_config(16, 32, 64, 1, 4, 3)
			   : size_rows_config(64, 64, 32, 8, 4, 3);
	return true;
}

const struct reader_ops sglang_moe_reader = {
	.name = "sglang:moe",
	.library = "sglang",
	.op = "moe",
	.summary = "rows by M of SGLang's MoE layers, configs/triton_X_Y_Z/E=...,N=....json",
	.sizes = size_rows_moe_sizes,
	.row_size = "M",
	.parameters = size_rows_parameters,
	.ladder = size_rows_ladder,
	.drawn = true,
	.place =
		"set SGLANG_MOE_CONFIG_DIR to the folder that has configs; SGLang sees none of its "
		"own files then",
	.shipped = "sglang/srt/layers/moe/moe_runner/triton_utils",
	.name_file = name_moe_file,
	.print_key = size_rows_print_key,
	.find = size_rows_find,
	.check = check_moe,
	.find_default = find_moe_default,
	.write = size_rows_write_plain,
	.read = size_rows_read_plain,
};

/* ---- block fp8 ---- */

static enum asc_status name_fp8_file(const struct reader_problem *p, const char *triton,
				     struct buf *out, struct asc_err *e)
{
	const struct size_rows_type *type;

	(void)triton;
	if (size_rows_find_type(p, fp8_types, &type, e))
		return e->status;
	buf_print(out, "N=%" PRId64 ",K=%" PRId64 ",device_name=", reader_get_size(p, "N", 0),
		  reader_get_size(p, "K", 0));
	if (add_device(p, out, e))
		return e->status;
	buf_print(out, ",dtype=fp8_w8a8,block_shape=[%" PRId64 ", %" PRId64 "].json",
		  reader_get_size(p, "block_n", 0), reader_get_size(p, "block_k", 0));
	return size_rows_check_name(p, out, e);
}

static bool find_fp8_default(const struct reader_problem *p, struct reader_config *out)
{
	*out = size_rows_config(64, reader_get_size(p, "block_n", 0),
				reader_get_size(p, "block_k", 0), 32, 4, 3);
	return true;
}

const struct reader_ops sglang_block_fp8_reader = {
	.name = "sglang:block-fp8",
	.library = "sglang",
	.op = "block-fp8",
	.summary = "rows by M of SGLang's products of fp8 with scales of blocks, N=...,K=....json",
	.sizes = size_rows_fp8_sizes,
	.row_size = "M",
	.parameters = size_rows_parameters,
	.ladder = size_rows_ladder,
	.place = "SGLang looks in its package alone: copy the file to "
		 "sglang/kernels/ops/gemm/configs",
	.shipped = "sglang/kernels/ops/gemm/configs",
	.name_file = name_fp8_file,
	.print_key = size_rows_print_key,
	.find = size_rows_find,
	.check = size_rows_check_fp8,
	.find_default = find_fp8_default,
	.write = size_rows_write_plain,
	.read = size_rows_read_plain,
};
