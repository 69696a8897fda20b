/* Tables of flash-linear-attention: names, keys and look-up against its own answers, files.
 * covers: fla_reader.c */
#include <string.h>

#include "reports/tables/readers/reader.h"
#include "tests/tap.h"
#include "tests/unit/readers/fla_goldens.h"
#include "tuner/base/buf.h"

static struct asc_err e;

static void test_names(void)
{
	struct reader_problem p = {.kernel = "chunk_fwd_kernel"};
	struct buf name = {0}, expected = {0};

	for (size_t i = 0; i < sizeof golden_devices / sizeof *golden_devices; i++) {
		buf_clear(&name);
		buf_clear(&expected);
		p.device = golden_devices[i][0];
		buf_print(&expected, "%s/chunk_fwd_kernel.json", golden_devices[i][1]);
		tap_int(fla_reader.name_file(&p, "3.6.0", &name, &e), ASC_OK, "a name");
		tap_str(buf_str(&name), buf_str(&expected), "in the GPU's folder");
	}
	p.kernel = "../kernel";
	tap_int(fla_reader.name_file(&p, "3.6.0", &name, &e), ASC_INPUT, "no kernel: %s", e.text);
	buf_fini(&name);
	buf_fini(&expected);
}

static void test_keys(void)
{
	static const struct rule_size sizes[] = {{"n", 4, 4}, {"d", 64, 64}, {"causal", 1, 1}};
	static const bool truths[] = {false, false, true};
	static const struct asctune_type types[] = {{"x", "bf16"}, {"mode", "row"}, {"y", "i64"}};
	struct reader_problem p = {.sizes = sizes, .truths = truths, .n_sizes = 3, .types = types};
	struct reader_table t = {0};
	struct buf key = {0}, text = {0};

	p.n_types = 1;
	(void)fla_reader.print_key(&fla_reader, &p, &key, &e);
	tap_str(buf_str(&key), golden_hashes[1][0], "sizes, a truth value, a type");
	p.n_types = 3;
	buf_clear(&key);
	(void)fla_reader.print_key(&fla_reader, &p, &key, &e);
	tap_str(buf_str(&key), "[4,64,true,\"torch.bfloat16\",\"row\",\"torch.int64\"]",
		"a text that is no type stays");
	for (size_t i = 0; i < sizeof golden_hashes / sizeof *golden_hashes; i++) {
		const struct reader_config c = {0};

		(void)reader_table_add(&t, golden_hashes[i][0], &c, &e);
	}
	tap_int(fla_reader.write(&t, &text, &e), ASC_OK, "a file of them");
	for (size_t i = 0; i < sizeof golden_hashes / sizeof *golden_hashes; i++)
		tap_has(buf_str(&text), golden_hashes[i][1], "%s is found", golden_hashes[i][0]);
	reader_table_fini(&t);
	buf_fini(&key);
	buf_fini(&text);
}

static void test_answers(void)
{
	const size_t n = sizeof golden_answers / sizeof *golden_answers;
	size_t right = 0;

	for (size_t i = 0; i < n; i++) {
		const struct golden_answer *g = &golden_answers[i];
		const struct reader_config c = {0};
		struct reader_table t = {0};
		int entries = 0;

		for (; g->keys[entries]; entries++)
			(void)reader_table_add(&t, g->keys[entries], &c, &e);
		(void)reader_table_add(&t, NULL, &c, &e);
		right += fla_reader.find(&t, g->asked) ==
			 (size_t)(g->answer < 0 ? entries : g->answer);
		reader_table_fini(&t);
	}
	tap_int((long)right, (long)n, "answers: exact, similar, the default");
	tap_ok(fla_reader.find(&(struct reader_table){0}, "[1]") == READER_OWN,
	       "without a default the library tunes");
}

static void test_files(void)
{
	static const char whole[] =
		"{\"kernel_name\":\"k\",\"triton_version\":\"3.6.0\",\"autotune_entries\":{\n"
		"\"9b264f7a3d69a4d3335fb7b43eb133e4\":{\"autotune_key\":[7],\"config\":{"
		"\"kwargs\":{\"BLOCK\":64,\"EVEN\":true},\"num_warps\":8,\"num_stages\":2,"
		"\"num_ctas\":1}}},\n"
		"\"default_config\":{\"kwargs\":{\"BLOCK\":32},\"num_warps\":4,"
		"\"num_stages\":3,\"num_ctas\":1}}\n";
	static const char *const bad[][2] = {
		{"[]", "expected an object"},
		{"{}", "\"autotune_entries\" is missing"},
		{"{\"autotune_entries\": []}", "expected an object"},
		{"{\"autotune_entries\": {\"00\": {\"autotune_key\": [7], \"config\": {}}}}",
		 "autotune_entries.00: is not the MD5 of its \"autotune_key\", "
		 "9b264f7a3d69a4d3335fb7b43eb133e4"},
		{"{\"autotune_entries\": {\"00\": {}}}", "\"autotune_key\" is missing"},
		{"{\"default_config\": {\"num_warps\": 4}}", "\"kwargs\" is missing"},
		{"{\"default_config\": {\"kwargs\": {}, \"ir_override\": \"x\"}}",
		 "ir_override: is no option that is known"},
		{"{\"default_config\": {\"kwargs\": {\"BLOCK\": [1]}}}", "BLOCK"},
		{"{\"kernel_name\": 3, \"default_config\": null}", "kernel_name"},
	};
	struct reader_table t = {0};
	struct buf in = {0}, out = {0};

	buf_add_str(&in, whole);
	tap_int(fla_reader.read("k.json", &in, &t, &e), ASC_OK, "a file is read");
	tap_ok(t.n == 2 && t.rows[0].key && !t.rows[1].key, "an entry and the default");
	tap_int(reader_get_parameter(&t.rows[0].config, "num_warps", 0), 8, "with its launch");
	tap_int(fla_reader.write(&t, &out, &e), ASC_OK, "and written");
	tap_str(buf_str(&out), whole, "as it was");
	reader_table_fini(&t);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		buf_clear(&in);
		buf_add_str(&in, bad[i][0]);
		tap_int(fla_reader.read("k.json", &in, &t, &e), ASC_INPUT, "%s", bad[i][0]);
		tap_has(e.text, bad[i][1], "is refused");
		reader_table_fini(&t);
	}
	buf_fini(&in);
	buf_fini(&out);
}

static void test_limits(void)
{
	static const struct {
		const char *name;
		int64_t value;
		const char *why;
	} limits[] = {{"num_warps", 3, "num_warps=3 is no power of two, which Triton needs"},
		      {"num_warps", 64, "num_warps=64 is more than the 32"},
		      {"num_stages", 0, "num_stages=0, expected 1 or more"},
		      {"num_ctas", 3, "num_ctas=3 is no power of two, which Triton needs"}};

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		struct reader_config c = {0};

		(void)reader_add_parameter(&c, limits[i].name, value_int(limits[i].value));
		tap_int(fla_reader.check(NULL, &c, &e), ASC_INPUT, "beyond a limit");
		tap_has(e.text, limits[i].why, "%s", limits[i].name);
	}
	tap_int(fla_reader.check(NULL, &(struct reader_config){0}, &e), ASC_OK,
		"Triton's defaults are within them");
}

int main(void)
{
	test_names();
	test_keys();
	test_answers();
	test_files();
	test_limits();
	return tap_done();
}
