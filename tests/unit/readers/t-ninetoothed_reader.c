/* The CSV of NineToothed: rows against its own reader in C++, keys, files that are none.
 * covers: ninetoothed_reader.c */
#include <inttypes.h>
#include <string.h>

#include "reports/tables/readers/reader.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"

/* A file, and what ninetoothed/templates/auto_tuning_cache.h of NineToothed 0.26.0 (wheel of PyPI,
 * Apache-2.0), compiled alone, has answered from it: a configuration, and its values. */
static const char golden_csv[] = "\n"
				 "512,4,3\n"
				 "8,8,0\n"
				 "128,4,3\n"
				 "9,9,8\n"
				 "128,8,2\n"
				 "9,3,9\n"
				 "128,8,2\n"
				 "1,1,1\n"
				 "128,4,2\n"
				 "1,10,8\n"
				 "512,8,3\n"
				 "10,8,8\n"
				 "64,4,3\n"
				 "3,8,9\n"
				 "64,4,2\n"
				 "3,10,9\n"
				 "256,8,3\n"
				 "1,8,3\n"
				 "128,4,3\n"
				 "0,0,1\n"
				 "512,4,2\n"
				 "1,2,8\n"
				 "64,4,3\n"
				 "3,10,0\n"
				 "64,8,2\n";

static const char *const golden_rows[][2] = {
	{"3,8,9", "64,4,2"},      {"3,10,0", "64,8,2"},    {"3,10,9", "256,8,3"},
	{"0,0,1", "512,4,2"},     {"9,9,8", "128,8,2"},    {"8,8,0", "128,4,3"},
	{"10,8,8", "64,4,3"},     {"9,9,8", "128,8,2"},    {"1,10,0,1", "512,4,3"},
	{"2,2,10,10", "512,4,3"}, {"10,9,9,3", "512,4,3"}, {"8,3,8", "512,4,3"},
	{"9,0,0", "512,4,3"},     {"8,0", "512,4,3"},      {"0,8,10,9", "512,4,3"},
	{"0,8,1", "512,4,3"},
};

static struct asc_err e;

static void test_answers(void)
{
	struct reader_table t = {0};
	struct buf text = {0}, values = {0};

	buf_add_str(&text, golden_csv);
	tap_int(ninetoothed_reader.read("k.csv", &text, &t, &e), ASC_OK, "a file is read");
	for (size_t i = 0; i < sizeof golden_rows / sizeof *golden_rows; i++) {
		const struct reader_config *c =
			&t.rows[ninetoothed_reader.find(&t, golden_rows[i][0])].config;

		buf_clear(&values);
		for (size_t k = 0; k < c->n; k++)
			buf_print(&values, "%s%" PRId64, k > 0 ? "," : "", c->list[k].value.i);
		tap_str(buf_str(&values), golden_rows[i][1], "%s", golden_rows[i][0]);
	}
	buf_clear(&text);
	tap_int(ninetoothed_reader.write(&t, &text, &e), ASC_OK, "and written");
	tap_str(buf_str(&text), golden_csv, "as it was");
	tap_ok(ninetoothed_reader.find(&(struct reader_table){0}, "1") == READER_OWN,
	       "a table without rows has no answer");
	reader_table_fini(&t);
	buf_fini(&text);
	buf_fini(&values);
}

static void test_keys(void)
{
	static const struct rule_size sizes[] = {{"ndim", 2, 2}, {"causal", 1, 1}};
	struct asctune_type types[] = {{"input", "f16"}, {"weight", "bf16"}, {"out", "f32"}};
	struct reader_problem p = {.kernel = "rms_norm",
				   .device = "NVIDIA H200",
				   .sizes = sizes,
				   .n_sizes = 2,
				   .types = types,
				   .n_types = 3};
	struct buf key = {0}, name = {0};

	tap_int(ninetoothed_reader.print_key(&ninetoothed_reader, &p, &key, &e), ASC_OK, "a key");
	tap_str(buf_str(&key), "2,1,8,9,10", "sizes, then numbers of types");
	tap_int(ninetoothed_reader.name_file(&p, NULL, &name, &e), ASC_OK, "a name");
	tap_str(buf_str(&name), "NVIDIA_H200/rms_norm.csv", "in the GPU's folder");
	types[0].type = "mean";
	buf_clear(&key);
	tap_int(ninetoothed_reader.print_key(&ninetoothed_reader, &p, &key, &e), ASC_INPUT,
		"a text: %s", e.text);
	types[0].type = "bool";
	tap_int(ninetoothed_reader.print_key(&ninetoothed_reader, &p, &key, &e), ASC_INPUT,
		"a type without a number: %s", e.text);
	buf_clear(&key);
	p.n_sizes = p.n_types = 0;
	tap_int(ninetoothed_reader.print_key(&ninetoothed_reader, &p, &key, &e), ASC_INPUT,
		"no arguments: %s", e.text);
	buf_fini(&key);
	buf_fini(&name);
}

static void test_refused(void)
{
	static const char *const bad[][2] = {
		{"1,2\n3\n", "k.csv:1: expected an empty line"},
		{"\n512\n2,1\n", "k.csv: a configuration without values at its end"},
		{"\n512\n2,1\n\n", "k.csv:4: expected integers"},
		{"\n512,\n", "k.csv:2: expected integers between commas, found 512,"},
		{"\nblock\n", "k.csv:2: expected integers between commas, found block"},
		{"\n1.5\n", "k.csv:2: expected integers"},
	};
	struct reader_config c = {0};
	struct reader_table t = {0};
	struct buf text = {0};
	struct value v;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		buf_clear(&text);
		buf_add_str(&text, bad[i][0]);
		tap_int(ninetoothed_reader.read("k.csv", &text, &t, &e), ASC_INPUT, "file %zu", i);
		tap_has(e.text, bad[i][1], "is refused");
		reader_table_fini(&t);
	}
	buf_clear(&text);
	buf_add_str(&text, "\r\n512\r\n2,1\r\n256\r\n");
	tap_int(ninetoothed_reader.read("k.csv", &text, &t, &e), ASC_OK,
		"lines that Python's writer of CSV ends");
	tap_ok(t.n == 2 && strcmp(t.rows[1].key, "2,1") == 0, "are rows");
	reader_table_fini(&t);
	buf_fini(&text);
	(void)value_text_add("row", 3, &v);
	(void)reader_add_parameter(&c, "LAYOUT", v);
	tap_int(ninetoothed_reader.check(NULL, &c, &e), ASC_INPUT, "a text: %s", e.text);
	c.list[0].value = value_int(INT64_C(1) << 31);
	tap_int(ninetoothed_reader.check(NULL, &c, &e), ASC_INPUT, "33 bits: %s", e.text);
	c.list[0] = (struct reader_parameter){"num_warps", value_int(3)};
	tap_int(ninetoothed_reader.check(NULL, &c, &e), ASC_INPUT, "3 warps: %s", e.text);
}

int main(void)
{
	test_answers();
	test_keys();
	test_refused();
	return tap_done();
}
