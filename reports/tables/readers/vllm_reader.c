/* vLLM's tables of its Triton kernels, as vLLM 0.33.0 reads them: get_config_file_name(),
 * try_get_optimal_moe_config() and get_default_config() of
 * vllm/model_executor/layers/fused_moe/fused_moe.py, get_w8a8_block_fp8_configs() of
 * vllm/model_executor/layers/quantization/utils/fp8_utils.py. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "reports/tables/readers/size_rows.h"
#include "tuner/base/buf.h"

/* Words of vLLM for types of a MoE layer. Types of 4 bits are left out: their files have another N
 * in the name, and vLLM sets parts of their rows later. */
static const struct size_rows_type types[] = {{"bf16", NULL, 2},
					      {"f16", NULL, 2},
					      {"int8_w8a8", NULL, 1},
					      {"f32", "float32", 4},
					      {"float32", "float32", 4},
					      {"f8e4m3", "fp8_w8a8", 1},
					      {"fp8_w8a8", "fp8_w8a8", 1},
					      {"fp8_w8a16", "fp8_w8a16", 2},
					      {"int8_w8a16", "int8_w8a16", 2},
					      {0}};
static const struct size_rows_type fp8_types[] = {
	{"f8e4m3", "fp8_w8a8", 1}, {"fp8_w8a8", "fp8_w8a8", 1}, {0}};

/* Appends the device's name, each run of blanks and slashes as one '_'. Only ASCII: what else
 * Python takes for a blank is in no driver's name. */
static void add_device(const char *name, struct buf *out)
{
	bool in_run = false;

	for (const char *c = name; *c; c++) {
		const bool blank =
			isspace((unsigned char)*c) || *c == '/' || (*c >= 0x1c && *c <= 0x1f);

		if (!blank || !in_run)
			buf_add(out, blank ? "_" : c, 1);
		in_run = blank;
	}
}

/* True where a part of the name between '_' is H200. */
static bool is_h200(const char *name)
{
	for (const char *part = name; part; part = strchr(part, '_')) {
		part += *part == '_';
		if (strncmp(part, "H200", 4) == 0 && (part[4] == '_' || !part[4]))
			return true;
	}
	return false;
}

/* ---- MoE ---- */

static enum asc_status name_moe_file(const struct reader_problem *p, const char *triton,
				     struct buf *out, struct asc_err *e)
{
	const struct size_rows_block block = size_rows_get_block(p);
	const struct size_rows_type *type;
	struct buf device = {0};

	(void)triton;
	if (size_rows_find_type(p, types, &type, e))
		return e->status;
	add_device(p->device, &device);
	buf_print(out, "E=%" PRId64 ",N=%" PRId64 ",device_name=%s", reader_get_size(p, "E", 0),
		  reader_get_size(p, "N", 0),
		  is_h200(buf_str(&device)) ? "NVIDIA_H200" : buf_str(&device));
	if (type->word)
		buf_print(out, ",dtype=%s", type->word);
	if (block.n)
		buf_print(out, ",block_shape=[%" PRId64 ",%" PRId64 "]", block.n, block.k);
	buf_add_str(out, ".json");
	out->failed |= device.failed;
	buf_fini(&device);
	return size_rows_check_name(p, out, e);
}

static enum asc_status check_moe(const struct reader_problem *p, const struct reader_config *c,
				 struct asc_err *e)
{
	const struct size_rows_type *type;

	return size_rows_find_type(p, types, &type, e) ? e->status
						       : size_rows_check(p, c, type->bytes, e);
}

/* get_default_config() for NVIDIA GPUs. */
static bool find_moe_default(const struct reader_problem *p, struct reader_config *out)
{
	const struct size_rows_block block = size_rows_get_block(p);
	const int64_t m = reader_get_size(p, "M", 0), experts = reader_get_size(p, "E", 0);
	const struct size_rows_type *type;
	struct asc_err ignored;

	if (size_rows_find_type(p, types, &type, &ignored))
		return false;
	const bool fp8 = type->word && strcmp(type->word, "fp8_w8a8") == 0;

	if (type->word && strcmp(type->word, "int8_w8a16") == 0 && block.k)
		return false; /* its blocks depend on a kernel of CUDA C++ */
	if (fp8 && block.k) {
		const bool narrow = m <= 8 && block.n % 64 == 0;

		*out = size_rows_config(m <= 64 ? 16 : 64, narrow ? 64 : block.n, block.k,
					m <= 16 ? 1 : 32, 4, narrow && m <= 4 ? 4 : 3);
		return true;
	}
	*out = size_rows_config(m <= 32    ? 16
				: m <= 96  ? 32
				: m <= 512 ? 64
					   : 128,
				m <= 64 ? 64 : 128, fp8 || m <= 64 ? 128 : 64,
				m / (experts > 0 ? experts : 1) > 128 ? 16 : 1, m <= 128 ? 4 : 8,
				m <= 32 ? 4 : 3);
	return true;
}

const struct reader_ops vllm_moe_reader = {
	.name = "vllm:moe",
	.library = "vllm",
	.op = "moe",
	.summary = "rows by M of vLLM's MoE layers, E=...,N=...,device_name=....json",
	.sizes = size_rows_moe_sizes,
	.row_size = "M",
	.parameters = size_rows_parameters,
	.ladder = size_rows_ladder,
	.drawn = true,
	.place = "set VLLM_TUNED_CONFIG_FOLDER to the folder",
	.shipped = "vllm/model_executor/layers/fused_moe/configs",
	.name_file = name_moe_file,
	.print_key = size_rows_print_key,
	.find = size_rows_find,
	.check = check_moe,
	.find_default = find_moe_default,
	.write = size_rows_write,
	.read = size_rows_read,
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
	/* The family of the H200 has no alias here. */
	struct buf device = {0};

	add_device(p->device, &device);
	buf_print(out, "%s,dtype=fp8_w8a8,block_shape=[%" PRId64 ",%" PRId64 "].json",
		  buf_str(&device), reader_get_size(p, "block_n", 0),
		  reader_get_size(p, "block_k", 0));
	out->failed |= device.failed;
	buf_fini(&device);
	return size_rows_check_name(p, out, e);
}

static bool find_fp8_default(const struct reader_problem *p, struct reader_config *out)
{
	*out = size_rows_config(64, reader_get_size(p, "block_n", 0),
				reader_get_size(p, "block_k", 0), 32, 4, 2);
	return true;
}

const struct reader_ops vllm_block_fp8_reader = {
	.name = "vllm:block-fp8",
	.library = "vllm",
	.op = "block-fp8",
	.summary = "rows by M of vLLM's products of fp8 with scales of blocks, N=...,K=....json",
	.sizes = size_rows_fp8_sizes,
	.row_size = "M",
	.parameters = size_rows_parameters,
	.ladder = size_rows_ladder,
	.place = "vLLM looks in its package alone: copy the file to "
		 "vllm/model_executor/layers/quantization/utils/configs",
	.shipped = "vllm/model_executor/layers/quantization/utils/configs",
	.name_file = name_fp8_file,
	.print_key = size_rows_print_key,
	.find = size_rows_find,
	.check = size_rows_check_fp8,
	.find_default = find_fp8_default,
	.write = size_rows_write_plain,
	.read = size_rows_read_plain,
};
