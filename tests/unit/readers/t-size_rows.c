/* Tables of rows by size, as vLLM and SGLang read them: names, the nearest row and defaults against
 * the libraries' own answers; limits, and files that are none.
 * covers: size_rows.c vllm_reader.c sglang_reader.c reader.c */
#include "reports/tables/readers/size_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/readers/reader_goldens.h"
#include "tuner/base/buf.h"

static struct asc_err e;

enum { SIZES = 6, LAST = 70000 };

static struct rule_size sizes[SIZES];
static struct asctune_type type = {"dtype", NULL};

/* The problem of these sizes; those of 0 are left out. It lives to the next call. */
static struct reader_problem problem(int64_t m, int64_t experts, int64_t n, int64_t k,
				     int64_t block_n, int64_t block_k, const char *element)
{
	const struct rule_size all[] = {
		{"M", m, m}, {"E", experts, experts},       {"N", n, n},
		{"K", k, k}, {"block_n", block_n, block_n}, {"block_k", block_k, block_k}};
	struct reader_problem p = {
		.device = "NVIDIA H200", .sizes = sizes, .types = &type, .n_types = 1};

	for (size_t i = 0; i < SIZES; i++)
		if (all[i].low != 0)
			sizes[p.n_sizes++] = all[i];
	type.type = element;
	return p;
}

/* ---- as the libraries answer ---- */

static void test_names(void)
{
	for (size_t i = 0; i < sizeof golden_names / sizeof *golden_names; i++) {
		const struct golden_name *g = &golden_names[i];
		const struct reader_ops *r = reader_find(g->reader);
		struct reader_problem p =
			problem(1, g->experts, g->n, g->k, g->block_n, g->block_k, g->type);
		struct buf name = {0};

		p.device = g->device;
		tap_int(r->name_file(&p, "3.6.0", &name, &e), ASC_OK, "%s has a name", g->reader);
		tap_str(buf_str(&name), g->name, "%s names it alike", g->reader);
		buf_fini(&name);
	}
}

static void test_defaults(void)
{
	const size_t n = sizeof golden_defaults / sizeof *golden_defaults;

	for (size_t i = 0; i < n; i++) {
		const struct golden_default *g = &golden_defaults[i], *next = g + 1;
		const struct reader_ops *r = reader_find(g->reader);
		const int64_t *v = g->row;
		const struct reader_config expected =
			size_rows_config(v[0], v[1], v[2], v[3], v[4], v[5]);
		const int64_t end = i + 1 < n && next->from > g->from ? next->from : LAST + 1;
		int64_t wrong = 0;

		for (int64_t m = g->from; m < end && !wrong; m++) {
			struct reader_problem p =
				problem(m, g->experts, 128, 0, g->block_n, g->block_k, g->type);
			struct reader_config c = {0};

			p.shared_bytes = g->shared_bytes;
			if (!r->find_default(&p, &c) || !reader_same_config(&c, &expected))
				wrong = m;
		}
		tap_int(wrong, 0, "%s, E %" PRId64 ", %s: M %" PRId64 " to %" PRId64, g->reader,
			g->experts, g->type, g->from, end - 1);
	}
}

/* Products of block fp8: the rows that w8a8_triton_block_scaled_mm() of vLLM 0.33.0 and
 * w8a8_block_fp8_matmul_triton() of SGLang 0.5.23 have in their text for a miss. */
static void test_fp8_defaults(void)
{
	const struct reader_problem p = problem(64, 0, 4096, 7168, 128, 64, "fp8_w8a8");
	const struct reader_config vllm = size_rows_config(64, 128, 64, 32, 4, 2),
				   sglang = size_rows_config(64, 128, 64, 32, 4, 3);
	struct reader_config c;

	tap_ok(vllm_block_fp8_reader.find_default(&p, &c) && reader_same_config(&c, &vllm),
	       "vLLM has two stages");
	tap_ok(sglang_block_fp8_reader.find_default(&p, &c) && reader_same_config(&c, &sglang),
	       "SGLang three");
}

static void test_nearest(void)
{
	for (size_t i = 0; i < sizeof golden_lookups / sizeof *golden_lookups; i++) {
		const struct golden_lookup *g = &golden_lookups[i];
		const struct reader_config row = size_rows_config(16, 16, 16, 1, 4, 3);
		struct reader_table t = {0};
		char key[32];
		int right = 0;

		for (size_t k = 0; k < 9 && g->rows[k]; k++) {
			snprintf(key, sizeof key, "%" PRId64, g->rows[k]);
			(void)reader_table_add(&t, key, &row, &e);
		}
		for (size_t k = 0; k < 9; k++) {
			snprintf(key, sizeof key, "%" PRId64, g->asked[k]);
			right += t.rows[size_rows_find(&t, key)].size == g->answered[k];
		}
		tap_int(right, 9, "answers of table %zu", i);
		reader_table_fini(&t);
	}
	tap_ok(size_rows_find(&(struct reader_table){0}, "1") == READER_OWN,
	       "a table without rows leaves the choice to the library");
}

/* ---- what a row has to keep ---- */

static const char *refusal(const char *reader, const struct reader_problem *p,
			   struct reader_config c)
{
	return reader_find(reader)->check(p, &c, &e) ? e.text : "";
}

static void test_limits(void)
{
	struct reader_problem p = problem(64, 8, 3584, 4096, 0, 0, "bf16");

	p.shared_bytes = 232448;
	for (size_t i = 0; reader_list[i]; i++) {
		const char *name = reader_list[i]->name;

		if (!reader_list[i]->row_size)
			continue;
		tap_str(refusal(name, &p, size_rows_config(64, 128, 64, 16, 8, 4)), "",
			"%s takes a row that fits", name);
		tap_str(refusal(name, &p, size_rows_config(64, 96, 64, 16, 8, 4)),
			"BLOCK_SIZE_N=96, expected a power of two, at most 65536", "%s", name);
		tap_str(refusal(name, &p, size_rows_config(64, 128, 64, 16, 6, 4)),
			"num_warps=6 is no power of two, which Triton needs", "%s", name);
		tap_str(refusal(name, &p, size_rows_config(64, 128, 64, 16, 64, 4)),
			"num_warps=64 is more than the 32 of a block's threads", "%s", name);
		tap_str(refusal(name, &p, size_rows_config(64, 128, 64, 0, 8, 4)),
			"GROUP_SIZE_M=0, expected 1 or more", "%s", name);
		tap_str(refusal(name, &p, size_rows_config(64, 128, INT64_C(1) << 40, 1, 8, 4)),
			"BLOCK_SIZE_K=1099511627776, expected a power of two, at most 65536",
			"%s: nothing overflows", name);
		tap_has(refusal(name, &p, size_rows_config(256, 256, 256, 1, 8, 5)),
			"bytes of shared memory at least, a block has 232448", "%s", name);
	}
	p.shared_bytes = 0;
	tap_str(refusal("vllm:moe", &p, size_rows_config(256, 256, 256, 1, 8, 5)), "",
		"shared memory that is not known limits nothing");
	p = problem(64, 8, 3584, 4096, 128, 128, "fp8_w8a8");
	for (size_t i = 0; reader_list[i]; i++) {
		const char *name = reader_list[i]->name;

		if (!reader_list[i]->row_size)
			continue;
		tap_str(refusal(name, &p, size_rows_config(64, 64, 64, 1, 4, 3)), "",
			"%s takes tiles that divide the block", name);
		tap_str(refusal(name, &p, size_rows_config(64, 64, 256, 1, 4, 3)),
			"BLOCK_SIZE_K=256 does not divide the block of 128 along K", "%s", name);
	}
	p = problem(64, 8, 3584, 4096, 96, 128, "fp8_w8a8");
	tap_str(refusal("vllm:moe", &p, size_rows_config(64, 64, 64, 1, 4, 3)),
		"BLOCK_SIZE_N=64 neither divides the block of 96 along N nor is a multiple",
		"and along N");
}

/* ---- names that cannot be ---- */

static const char *unnamed(const char *reader, const struct reader_problem *p, const char *triton)
{
	struct buf name = {0};
	const enum asc_status status = reader_find(reader)->name_file(p, triton, &name, &e);

	buf_fini(&name);
	return status ? e.text : "";
}

static void test_unnamed(void)
{
	char device[4097];
	struct reader_problem p = problem(1, 8, 3584, 0, 0, 0, "f64");

	tap_str(unnamed("vllm:moe", &p, "3.6.0"), "there are no tables for the type f64",
		"a type without tables");
	p = problem(1, 8, 3584, 0, 0, 0, "bf16");
	tap_str(unnamed("vllm:block-fp8", &p, "3.6.0"), "there are no tables for the type bf16",
		"nor of a product of fp8");
	p.n_types = 0;
	tap_has(unnamed("sglang:moe", &p, "3.6.0"), "it has no type \"dtype\"", "no type");
	p = problem(1, 8, 3584, 0, 0, 0, "bf16");
	memset(device, 'x', sizeof device - 1);
	device[sizeof device - 1] = '\0';
	p.device = device;
	tap_has(unnamed("vllm:moe", &p, "3.6.0"),
		"its file would have 4124 bytes, expected at most 241", "a device of 4 kB");
	tap_has(unnamed("sglang:moe", &p, "3.6.0"), "expected at most 241", "in both libraries");
	p.device = "AMD Instinct/OAM";
	tap_has(unnamed("sglang:moe", &p, "3.6.0"), "AMD Instinct/OAM, for a path",
		"SGLang keeps a slash");
	p.device = "NVIDIA H200";
	tap_has(unnamed("sglang:moe", &p, "3.6.0+git1"), "no folder for Triton 3.6.0+git1",
		"and has folders of numbers");
	tap_has(unnamed("sglang:moe", &p, NULL), "version is not recorded", "of a known Triton");
	tap_int(reader_check_problem(&vllm_moe_reader, &p, &e), ASC_OK, "all sizes are there");
	p = problem(1, 0, 3584, 0, 0, 0, "bf16");
	tap_int(reader_check_problem(&vllm_moe_reader, &p, &e), ASC_INPUT, "a size is missing");
	tap_has(e.text, "vllm:moe asks by the size E, which the problem does not have", "%s",
		e.text);
	p.device = NULL;
	tap_int(reader_check_problem(&vllm_moe_reader, &p, &e), ASC_INPUT, "a device is unknown");
	tap_ok(!reader_find_operator("vllm", NULL), "an operator is unknown");
}

/* ---- files ---- */

static void test_files(void)
{
	static const char text[] = "{\"triton_version\":\"3.6.0\",\n"
				   "\"64\":{\"BLOCK_SIZE_M\":16,\"num_warps\":4},\n"
				   "\"1\":{\"BLOCK_SIZE_M\":32,\"USE_TMA\":true}\n}\n";
	static const char *const bad[][2] = {
		{"[]", "expected an object"},
		{"{\"1\": {}, \"1\": {}}", "\"1\""},
		{"{\"comment\": {}}", "comment: is no size, and the library fails at it"},
		{"{\"-1\": {}}", "is no size"},
		{"{\"01\": {}}", "is no size"},
		{"{\"1\": [16]}", "expected an object"},
		{"{\"1\": {\"BLOCK_SIZE_M\": \"16\"}}", "1.BLOCK_SIZE_M"},
		{"{\"1\": null}", "expected an object"},
		{"{\"triton_version\": 3}", "triton_version"},
		{"{\"1\": {}", "vllm.json:1:"},
	};
	struct reader_table t = {0};
	struct buf in = {0}, out = {0};

	buf_add_str(&in, text);
	tap_int(size_rows_read("vllm.json", &in, &t, &e), ASC_OK, "a file is read");
	tap_ok(t.n == 2 && t.rows[0].size == 64 && t.rows[1].size == 1, "in its order");
	tap_str(t.version, "3.6.0", "with its version");
	tap_int(vllm_moe_reader.write(&t, &out, &e), ASC_OK, "and written");
	tap_str(buf_str(&out), text, "as it was");
	buf_clear(&out);
	tap_int(sglang_moe_reader.write(&t, &out, &e), ASC_OK, "for SGLang");
	tap_ok(!strstr(buf_str(&out), "triton"), "without a version, at which its int() fails");
	tap_has(buf_str(&out), "{\n\"64\":{", "rows begin at once");
	reader_table_fini(&t);
	for (size_t i = 0; reader_list[i]; i++) {
		if (reader_list[i]->row_size && reader_list[i] != &vllm_moe_reader) {
			tap_int(reader_list[i]->read("r.json", &in, &t, &e), ASC_INPUT,
				"%s fails at a version", reader_list[i]->name);
			tap_has(e.text, "r.json: triton_version: is no size", "which is said");
		}
		reader_table_fini(&t);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		buf_clear(&in);
		buf_add_str(&in, bad[i][0]);
		tap_int(size_rows_read("vllm.json", &in, &t, &e), ASC_INPUT, "%s", bad[i][0]);
		tap_has(e.text, bad[i][1], "is refused");
		reader_table_fini(&t);
	}
	buf_fini(&in);
	buf_fini(&out);
}

static void test_list(void)
{
	for (size_t i = 0; reader_list[i]; i++) {
		const struct reader_ops *r = reader_list[i];

		tap_ok(r->name_file && r->print_key && r->find && r->check && r->write && r->read &&
			       r->summary && r->place,
		       "%s is complete", r->name);
		tap_ok(reader_find(r->name) == r &&
			       reader_find_operator(r->library, r->op ? r->op : "k") == r,
		       "and found");
	}
	tap_ok(!reader_find("vllm") && !reader_find_operator("vllm", "lora"), "no other is");
}

int main(void)
{
	test_list();
	test_names();
	test_defaults();
	test_fp8_defaults();
	test_nearest();
	test_limits();
	test_unnamed();
	test_files();
	return tap_done();
}
