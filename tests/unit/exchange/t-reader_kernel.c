/* Kernels whose tables libraries read: for each type, the texts of a workload's file leave no mark
 * and are JSON; sizes that a library cannot launch are refused; a failed allocation is told. What
 * the launches are is held to the libraries' own by ci/consumers.
 * covers: reader_kernel.c */
#include "reports/exchange/reader_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

static struct asc_err e;
static double tokens[8] = {1, 0, 2.5, 1, 1, 1, 1, 1};

/* A layer of 8 experts, or a product. */
static struct reader_layer layer_of(const struct reader_kernel *k, const char *type, bool blocks)
{
	struct reader_layer l = {.sizes = {8, 256, 512, 2}, .rows = {64}, .n_rows = 1};

	for (const struct reader_type *t = k->types; t->name; t++)
		if (strcmp(t->name, type) == 0)
			l.type = *t;
	if (!k->most_experts) {
		memcpy(l.sizes, (int64_t[]){576, 512, 128, 64}, 4 * sizeof *l.sizes);
		return l;
	}
	l.n_experts = 8;
	l.top_k = 2;
	l.tokens = tokens;
	l.sizes[4] = blocks ? 64 : 0;
	l.sizes[5] = blocks ? 128 : 0;
	return l;
}

/* Writes the workload's file and its routing, as `init` does. */
static enum asc_status write_texts(const struct reader_kernel *k, const struct reader_layer *l,
				   struct buf *out, struct asc_err *failure)
{
	static const struct skeleton_mark others[] = {
		{"NAME", "layer"}, {"PROBLEMS", ""},   {"SOURCE", "{}"},  {"LIBRARY", "vllm"},
		{"VERSION", "1"},  {"E", "8"},         {"N", "256"},      {"K", "512"},
		{"top_k", "2"},    {"block_n", "128"}, {"block_k", "64"}, {0}};
	struct reader_marks m = {0};

	for (const struct skeleton_mark *o = others; o->name; o++)
		reader_marks_add(&m, o->name, o->text);
	k->add_marks(k, l, "kernel", &m);
	for (size_t i = 0; k->files[i].name && !m.failed; i++)
		if (i != 1) /* alignment.py has a decorator's @ */
			skeleton_fill(k->files[i].text, m.list, &out[i > 1]);
	out->failed |= m.failed;
	reader_marks_fini(&m);
	return buf_check(out, failure) ? failure->status : buf_check(&out[1], failure);
}

static void test_texts(const char *name, const char *type, bool blocks)
{
	const struct reader_kernel *k = reader_kernel_find(name);
	const struct reader_layer l = layer_of(k, type, blocks);
	struct buf out[2] = {{0}};
	struct json_doc *doc = NULL;

	tap_int(k->check(k, &l, &e), ASC_OK, "%s %s: sizes that can be launched", name, type);
	tap_int(write_texts(k, &l, out, &e), ASC_OK, "%s %s: texts", name, type);
	tap_ok(!strchr(buf_str(&out[0]), '@') && !strchr(buf_str(&out[1]), '@'),
	       "%s %s: no mark is left", name, type);
	tap_int(json_open_text("layer", buf_str(&out[0]), out[0].len, &doc, &e), ASC_OK,
		"%s %s: the file is JSON", name, type);
	if (k->most_experts)
		tap_has(buf_str(&out[1]), "tokens[EXPERTS] = {1, 0, 2.5, 1, 1, 1, 1, 1};",
			"%s: the experts' tokens are written", name);
	json_close(doc);
	buf_fini(&out[0]);
	buf_fini(&out[1]);
}

static void check_refused(const char *name, size_t place, int64_t size, const char *words)
{
	const struct reader_kernel *k = reader_kernel_find(name);
	struct reader_layer l = layer_of(k, "fp8_w8a8", true);

	l.sizes[place] = size;
	tap_int(k->check(k, &l, &e), ASC_INPUT, "%s: %s=%d is refused", name, k->sizes[place],
		(int)size);
	tap_has(e.text, words, "its reason");
}

static enum asc_status write_one(struct asc_err *failure)
{
	const struct reader_kernel *k = reader_kernel_find("vllm:moe");
	const struct reader_layer l = layer_of(k, "fp8_w8a8", true);
	struct buf out[2] = {{0}};
	const enum asc_status s = write_texts(k, &l, out, failure);

	if (s == ASC_OK)
		nomem_give(buf_str(&out[0]));
	buf_fini(&out[0]);
	buf_fini(&out[1]);
	return s;
}

int main(void)
{
	struct reader_config c = {.list = {{"BLOCK_SIZE_N", {VALUE_INT, {.i = 128}}},
					   {"BLOCK_SIZE_K", {VALUE_INT, {.i = 128}}}},
				  .n = 2};

	for (size_t i = 0; reader_kernel_names[i]; i++)
		tap_ok(reader_kernel_find(reader_kernel_names[i]), "%s is found",
		       reader_kernel_names[i]);
	tap_ok(!reader_kernel_find("fla"), "no other is");
	for (size_t i = 0; i < 2; i++) {
		const char *name = i ? "sglang:moe" : "vllm:moe";

		test_texts(name, "bf16", false);
		test_texts(name, "f16", false);
		test_texts(name, "fp8_w8a8", false);
		test_texts(name, "fp8_w8a8", true);
		test_texts(i ? "sglang:block-fp8" : "vllm:block-fp8", "bf16", true);
		check_refused(name, 1, 192, "N=192,block_k=128: expected a multiple");
		check_refused(name, 2, 576, "K=576,block_k=128: expected a multiple");
		check_refused(name, 4, 48, "block_n=48: expected a power of two");
		check_refused(name, 3, 9, "no 9 different ones");
		check_refused(name, 0, 9999, "sorts the tokens of at most");
	}
	/* vLLM's launcher takes min(BLOCK_SIZE_K, min(block_shape)). */
	const struct reader_kernel *vllm = reader_kernel_find("vllm:moe");
	const struct reader_layer l = layer_of(vllm, "fp8_w8a8", true);

	vllm->cut(&l, &c);
	tap_int(c.list[1].value.i, 64, "vLLM's default has the step that its launcher takes");
	tap_int(c.list[0].value.i, 128, "and the other blocks as they are");
	nomem_exhaust("marks of a kernel", write_one);
	return tap_done();
}
