/* Workload files: the whole format read back, and one file per kind of mistake beside the message
 * it has to give (data/workload/bad: NAME.json, NAME.txt; FILE and FOLDER stand for the paths).
 * `t-workload.t --update` writes the messages as they are now.
 * covers: workload.c workload_argument.c workload_call.c workload_calls.c workload_check.c
 * workload_find.c
 * workload_implementation.c workload_ladder.c workload_parameter.c workload_problem.c
 * workload_read.c workload_tensor.c
 * workload_export.c */
#include "tuner/workload/binding/workload_open.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/rewrite.h"

#define DATA TEST_DATA "/data/workload/"
#define BAD  DATA "bad/"

/* DATA without links: a tree may have been brought to another place than it was built in. */
static char folder[PATH_MAX];

static const struct tensor *tensor(const struct workload *w, const char *name)
{
	for (size_t i = 0; i < w->n_tensors; i++)
		if (strcmp(w->tensors[i].name, name) == 0)
			return &w->tensors[i];
	return NULL;
}

static void test_top(const struct workload *w)
{
	tap_str(w->name, "full", "name");
	tap_str(w->operator_name, "gather_rows", "operator");
	char *path = path_join(folder, "full.json");

	tap_str(w->path, path, "path");
	free(path);
	tap_str(w->folder, folder, "folder");
	tap_int(strlen(w->hash), 32, "hash has 32 digits");
	tap_str(w->flops.text, "2 * ROWS * COLS", "flops");
	const struct name_list *l = workload_find_baselines(w, "npu");

	tap_ok(l && l->n == 2 && strcmp(l->names[0], "plain") == 0, "baselines, the first of all");
	tap_ok(!workload_find_baselines(w, "cpu"), "none for another device");
	tap_ok(w->exports && json_find(w->exports, "library"), "export section is kept");
	tap_ok(w->varies.n == 1 && strcmp(w->varies.names[0], "ROWS") == 0, "what varies");
	tap_ok(tensor(w, "noise")->domain.kind == DOMAIN_ANY &&
		       tensor(w, "x")->domain.kind == DOMAIN_FILL,
	       "domains");
}

static void test_problems(const struct workload *w)
{
	const struct problem *p = workload_find_problem(w, "large-half");
	tap_int(w->n_problems, 2, "two problems");
	if (!tap_ok(p && p->n_dims == 5, "a problem by name, with its dimensions"))
		return;
	tap_str(p->dims[0].name, "ROWS", "first dimension");
	tap_int(p->dims[0].value.i, 4096, "value");
	tap_int(p->dims[4].value.kind, VALUE_BOOL, "a dimension may be a truth value");
	tap_int(p->dtypes[0].dtype, DTYPE_BF16, "dtype variable");
	tap_ok(name_list_has(&p->tags, "nightly") && !name_list_has(&p->tags, "smoke"), "tags");
	tap_ok(name_list_has(&p->devices, "npu") && !name_list_has(&p->devices, "cpu"), "devices");
	tap_ok(!workload_find_problem(w, "large"), "no problem by part of a name");
}

static void test_fills(const struct workload *w)
{
	static const struct {
		const char *name;
		enum fill_kind kind;
	} rows[] = {{"x", FILL_NORMAL},
		    {"bias", FILL_UNIFORM},
		    {"gain", FILL_CONSTANT},
		    {"ids", FILL_INDEX},
		    {"table", FILL_BLOCK_TABLE},
		    {"slots", FILL_SLOTS},
		    {"lengths", FILL_RAGGED_LENGTHS},
		    {"noise", FILL_FUNCTION}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		tap_int(tensor(w, rows[i].name)->fill.kind, rows[i].kind, "fill of %s",
			rows[i].name);
	tap_str(tensor(w, "x")->fill.mean.text, "0", "a number becomes text");
	tap_str(tensor(w, "x")->fill.std.text, "1 / 4", "a formula is kept");
	tap_ok(tensor(w, "lengths")->fill.cumulative, "cumulative lengths");
	tap_str(tensor(w, "noise")->fill.entry, "noise", "fill function");
	tap_int(tensor(w, "weights")->fill.kind, FILL_NORMAL, "reals are normal by default");
	tap_str(tensor(w, "weights")->fill.std.text, "1", "of standard deviation 1");
}

static void test_tensors(const struct workload *w)
{
	const struct tensor *total = tensor(w, "total");
	tap_int(w->n_tensors, 13, "thirteen tensors");
	tap_str(w->tensors[0].name, "x", "in the file's order");
	tap_int(tensor(w, "gain")->rank, 0, "a single number has no dimensions");
	tap_int(tensor(w, "x")->rank, 2, "a matrix has two");
	tap_str(tensor(w, "bias")->present.text, "BIASED", "an optional tensor");
	tap_int(tensor(w, "lengths")->place, PLACE_HOST, "a tensor on the host");
	tap_int(total->role, ROLE_INOUT, "role");
	tap_int(total->verify.kind, VERIFY_ALLCLOSE, "allclose");
	tap_int(total->verify.n_tolerances, 2, "two tolerances");
	tap_int(total->verify.tolerances[1].dtype, DTYPE_BF16, "of the second dtype");
	tap_str(total->verify.tolerances[1].rtol.text, "2 ** -7", "formula of the tolerance");
	tap_int(tensor(w, "picked")->verify.kind, VERIFY_EXACT, "exact");
	tap_real(tensor(w, "drawn")->verify.p, 1e-4, 0, "distribution's p");
}

static void test_parameters(const struct implementation *i)
{
	tap_int(i->n_parameters, 5, "five parameters");
	tap_str(i->parameters[0].name, "BLOCK", "in the file's order");
	tap_int(i->parameters[0].n_values, 4, "a bare list of values");
	tap_ok(!i->parameters[0].has_default, "without a default");
	tap_int(i->parameters[0].default_value.i, 8, "the first value stands in");
	tap_int(i->parameters[1].default_value.i, 2, "a default");
	tap_int(i->parameters[2].stage, STAGE_LAUNCH, "a launch-stage parameter");
	tap_ok(!name_list_has(&i->parameters[3].devices, "cpu"), "a parameter of some devices");
	tap_int(i->parameters[3].otherwise.i, 1, "its value elsewhere");
	tap_int(i->parameters[4].values[0].kind, VALUE_BOOL, "truth values");
}

static void test_arguments(const struct workload *w)
{
	const struct callable *c = &workload_find_implementation(w, "plain")->calls[0];
	const struct argument *map = &workload_find_implementation(w, "tma")->calls[0].arguments[0];
	tap_int(c->n_arguments, 14, "fourteen arguments");
	tap_int(c->arguments[5].tensor, 9, "a tensor by index");
	tap_int(c->arguments[8].kind, ARG_SCALAR, "a scalar");
	tap_int(c->arguments[8].scalar_type, DTYPE_I32, "type of the argument");
	tap_int(c->arguments[10].kind, ARG_SCRATCH, "scratch");
	tap_int(c->arguments[12].builtin, BUILTIN_THREAD, "a builtin");
	tap_int(map->kind, ARG_TENSOR_MAP, "a tensor map");
	tap_int(map->rank, 2, "box of the tensor map");
	tap_str(map->swizzle, "128B", "swizzle of the tensor map");
}

static void test_constants(const struct callable *c)
{
	if (!tap_int(c->n_constants, 5, "five constants"))
		return;
	tap_str(c->constants[0].name, "WIDTH", "in the file's order");
	tap_str(c->constants[0].formula.text, "COLS // BLOCK", "a constant may be a formula");
	tap_str(c->constants[2].dtype, "T", "a constant may be a dtype");
	tap_ok(c->constants[3].kind == CONSTANT_TRUTH && c->constants[3].truth,
	       "a constant may be a truth value");
	tap_int(c->constants[4].kind, CONSTANT_NULL, "a constant may be null");
}

static void test_rewrites(const struct implementation *i)
{
	const struct argument *last = &i->calls[0].arguments[i->calls[0].n_arguments - 1];
	if (!tap_int(i->n_rewrites, 3, "three rewrites"))
		return;
	tap_str(i->rewrites[1].ops->name, "sub-block", "in the file's order");
	tap_int(i->rewrites[1].pair[0], 0, "a rewrite's block");
	tap_int(i->rewrites[1].pair[1], 1, "sub-block of the pair");
	tap_ok(!i->rewrites[2].ops->pair, "axis-limit is not about parameters");
	tap_int(last->builtin, BUILTIN_BLOCKS, "every builder may pass the number of blocks");
}

static void test_implementations(const struct workload *w)
{
	const struct implementation *plain = workload_find_implementation(w, "plain");
	const struct implementation *tma = workload_find_implementation(w, "tma");
	const struct implementation *tiled = workload_find_implementation(w, "tiled");
	const struct implementation *installed = workload_find_implementation(w, "installed");
	tap_str(plain->calls[0].builder, "cc", ".c means cc");
	tap_str(tiled->calls[0].builder, "ascendc", ".asc.cpp means ascendc");
	tap_str(installed->calls[0].builder, "triton", "a module means triton");
	tap_str(callable_entry(&installed->calls[0], "npu"), "gather_rows", "brings its entry");
	tap_str(callable_entry(&tma->calls[0], "cuda"), "gather_rows_tma", "entry per device");
	tap_ok(!callable_entry(&tma->calls[0], "npu"), "none for another");
	tap_int(tma->index, 1, "index");
	tap_int(tiled->index, -1, "no index");
	tap_int(tiled->n_memory, 2, "memory spaces");
	tap_int(tiled->memory[0].n_tiles, 2, "tiles");
	tap_int(tiled->memory[0].tiles[1].last, 3, "lifetime");
	tap_str(tiled->memory[1].bytes.text, "0", "bytes as a number");
	test_rewrites(tiled);
	test_parameters(plain);
	test_constants(&plain->calls[0]);
}

static void test_twins(struct workload *w)
{
	const struct callable *tiled = &workload_find_implementation(w, "tiled")->calls[0];
	const struct callable *tma = &workload_find_implementation(w, "tma")->calls[0];

	tap_str(tiled->twin.entry, "gather_rows_twin", "a twin's entry");
	workload_use_twins(w);
	tap_str(tiled->source, "full/kernel.c", "a twin takes the kernel's place");
	tap_str(tiled->builder, "twin", "with a builder of its own");
	tap_str(callable_entry(tiled, "npu"), "gather_rows_twin", "and its entry");
	tap_int(tiled->flags.n, 0, "without flags for another compiler");
	tap_str(tma->builder, "nvrtc", "a kernel without a twin stays");
}

static void test_full(void)
{
	struct asc_err e;
	struct workload *w = NULL;
	enum asc_status s = workload_open(DATA "full.json", &w, &e);
	if (!tap_int(s, ASC_OK, "full.json: %s", s ? e.text : "opens"))
		return;
	test_top(w);
	test_problems(w);
	test_tensors(w);
	test_fills(w);
	test_arguments(w);
	test_implementations(w);
	test_twins(w);
	workload_close(w);
}

/* ---- mistakes ---- */

static void replace(struct buf *text, const char *part, const char *by)
{
	struct buf out = {0};
	const char *at = buf_str(text);
	for (const char *hit; (hit = strstr(at, part)); at = hit + strlen(part)) {
		buf_add(&out, at, (size_t)(hit - at));
		buf_add_str(&out, by);
	}
	buf_add_str(&out, at);
	buf_fini(text);
	*text = out;
}

static bool update;

static void message_compare(const char *name, const char *have, const char *want_path)
{
	struct buf want = {0};
	struct asc_err e;
	if (update)
		tap_ok(file_write(want_path, have, strlen(have), &e) == ASC_OK, "bad/%s is updated",
		       name);
	else if (file_read(want_path, 0, &want, &e) != ASC_OK)
		tap_str(have, e.text, "bad/%s", name);
	else
		tap_str(have, buf_str(&want), "bad/%s", name);
	buf_fini(&want);
}

static void test_bad(const char *name)
{
	struct asc_err e;
	struct workload *w = NULL;
	struct buf have = {0};
	char *path = str_print(BAD "%s", name), *want = str_print(BAD "%s", name);
	char *bad = str_print("%s/bad/", folder);
	memcpy(want + strlen(want) - strlen("json"), "txt", sizeof "txt");
	if (tap_ok(workload_open(path, &w, &e) == ASC_INPUT && !w, "bad/%s is refused", name)) {
		buf_print(&have, "%s\n", e.text);
		replace(&have, path, "FILE");
		replace(&have, bad, "FOLDER/");
		message_compare(name, buf_str(&have), want);
	}
	workload_close(w);
	buf_fini(&have);
	free(path);
	free(want);
	free(bad);
}

/* ---- ladders ---- */

/* Reads a workload with such problems; NULL, with a failed test, where it is refused. */
static struct workload *read_problems(const char *problems)
{
	static const char rest[] =
		",\"tensors\":{\"c\":{\"shape\":[\"M\"],\"dtype\":\"i32\",\"role\":\"out\"}},"
		"\"reference\":{\"source\":\"full/"
		"reference.c\",\"entry\":\"f\",\"arguments\":[{\"tensor\":\"c\"}]},"
		"\"implementations\":[{\"name\":\"i\",\"source\":\"full/"
		"kernel.c\",\"entry\":\"f\",\"arguments\":[{\"tensor\":\"c\"}]}]}";
	char *text = str_print("{\"asctune\":1,\"name\":\"w\",\"problems\":[%s]%s", problems, rest);
	struct workload *w = NULL;
	struct asc_err e;

	if (!tap_ok(workload_parse(DATA "full.json", text, strlen(text), &w, &e) == ASC_OK,
		    "%s is read", problems))
		tap_note("%s", e.text);
	free(text);
	return w;
}

/* Names and sizes of the problems that such an entry makes. */
static void check_ladder(const char *entry, const char *expected)
{
	struct workload *w = read_problems(entry);
	struct buf names = {0};

	if (w) {
		for (size_t i = 0; i < w->n_problems; i++)
			buf_print(&names, "%s%s=%lld", i ? " " : "", w->problems[i].name,
				  (long long)w->problems[i].dims[0].value.i);
		tap_str(buf_str(&names), expected, "with its problems");
	}
	workload_close(w);
	buf_fini(&names);
}

/* Adds the problem that a name means: its sizes and type, or the failure. */
static void check_derived(struct workload *w, const char *name, const char *expected)
{
	const size_t before = w->n_problems;
	const struct problem *first = &w->problems[0];
	struct buf have = {0};
	struct asc_err e;

	if (workload_add_problem(w, name, &e)) {
		buf_add_str(&have, e.text);
		tap_int(w->n_problems, before, "%s: nothing is added", name);
	} else {
		const struct problem *p = workload_find_problem(w, name);

		for (size_t i = 0; p && i < p->n_dims; i++)
			buf_print(&have, "%s=%lld ", p->dims[i].name,
				  (long long)p->dims[i].value.i);
		for (size_t i = 0; p && i < p->n_dtypes; i++)
			buf_print(&have, "%s=%s ", p->dtypes[i].name,
				  dtype_name(p->dtypes[i].dtype));
		tap_str(first->name, "x.M4", "the first problem stays where it was");
		tap_ok(p && problem_is_called(p, p->ladder), "%s is of its entry", name);
	}
	tap_has(buf_str(&have), expected, "%s", name);
	buf_fini(&have);
}

static void test_derived(void)
{
	struct workload *w = read_problems(
		"{\"name\":\"x\",\"dims\":{\"M\":[4,1],\"M1\":7},\"dtypes\":{\"T\":\"f32\"}},"
		"{\"name\":\"x.M\",\"dims\":{\"M\":9,\"K\":2}},"
		"{\"name\":\"t\",\"dims\":{\"M\":1,\"causal\":false}}");

	if (!w)
		return;
	check_derived(w, "x.M8.M1-3", "M=8 M1=-3 T=f32 ");
	check_derived(w, "x.M8.Tbf16", "M=8 M1=7 T=bf16 ");
	check_derived(w, "x.M.K5", "M=9 K=5 ");
	check_derived(w, "t.causal1", "M=1 causal=1 ");
	tap_ok(workload_find_problem(w, "t.causal1")->dims[1].value.kind == VALUE_BOOL,
	       "a truth value stays one");
	check_derived(w, "t.causal2", "causal is true or false: 1 or 0");
	check_derived(w, "x.M14", "\"M14\" may mean more than one size or type of problem x");
	check_derived(w, "x.Q4", "\"Q4\" is no size or type of problem x");
	check_derived(w, "x.M8.", "\"\" is no size");
	check_derived(w, "x.M 8", "is no name");
	check_derived(w, "x.M99999999999999999999", "is no size");
	check_derived(w, "y.M4", "there is no problem y.M4");
	tap_ok(problem_name_is_of("x.M8.Tbool", "x"), "a name with a type is of its entry");
	workload_close(w);
}

static void test_ladders(void)
{
	check_ladder("{\"name\":\"x\",\"dims\":{\"M\":[4,1]}}", "x.M4=4 x.M1=1");
	check_ladder("{\"name\":\"x\",\"dims\":{\"M\":[1,2],\"B\":true,\"N\":[8,-9]}}",
		     "x.M1.N8=1 x.M1.N-9=1 x.M2.N8=2 x.M2.N-9=2");
	check_ladder("{\"name\":\"x\",\"dims\":{\"M\":[1]}},{\"name\":\"x.M2\",\"dims\":{\"M\":5}}",
		     "x.M1=1 x.M2=5");
	tap_ok(problem_name_is_of("x.M1.N-9", "x") && problem_name_is_of("x", "x"),
	       "a recorded name is of its ladder");
	tap_ok(!problem_name_is_of("x.7b", "x") && !problem_name_is_of("x.half", "x") &&
		       !problem_name_is_of("xy.M1", "x") && !problem_name_is_of("x.M1.", "x"),
	       "another is not");
}

static int is_json(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');
	return dot && strcmp(dot, ".json") == 0;
}

static void test_mistakes(void)
{
	struct dirent **names;
	int n = scandir(BAD, &names, is_json, alphasort);
	tap_ok(n >= 30, "at least thirty kinds of mistakes");
	for (int i = 0; i < n; i++) {
		test_bad(names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void test_absent(void)
{
	struct asc_err e;
	struct workload *w = NULL;
	tap_ok(workload_open(DATA "none.json", &w, &e) != ASC_OK, "a file that is not there");
	tap_has(e.text, "none.json", "is named");
	tap_ok(workload_open(DATA, &w, &e) != ASC_OK, "a folder is no workload");
	tap_ok(!w, "there is no workload");
	workload_close(NULL);
}

int main(int argc, char **argv)
{
	update = argc > 1 && strcmp(argv[1], "--update") == 0;
	if (!tap_ok(realpath(DATA, folder) != NULL, "the folder of the data"))
		return tap_done();
	test_full();
	test_ladders();
	test_derived();
	test_mistakes();
	test_absent();
	return tap_done();
}
