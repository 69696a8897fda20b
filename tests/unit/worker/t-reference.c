/* References: worked out, kept, found again; one that a device computes is held to the C function
 * by a sample. The device here is the CPU.
 * covers: reference.c prerequisites.c */
#include "tuner/worker/reference.h"
#include "tuner/workload/binding/workload_open.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/build/pool.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/prerequisites.h"
#include "tuner/workload/binding/binding.h"

#define LIMIT_NS INT64_C(60000000000)
enum { N = 1001 };

struct made { /* a workload with its reference compiled */
	struct workload *workload;
	struct binding binding;
	struct prerequisites prerequisites;
	struct pool *pool;
};

static char folder[300];
static struct asc_err e;

static const char *make(struct made *m, const char *name, const struct device_info *info)
{
	char *path = str_print("%s/data/reference/%s", TEST_DATA, name);
	struct pool_done done = {0};

	*m = (struct made){0};
	bool ok = !workload_open(path, &m->workload, &e) &&
		  !binding_init(&m->binding, m->workload, &m->workload->problems[0], "cpu",
				&info->facts, &e) &&
		  !pool_open(folder, 1, LIMIT_NS, &m->pool, &e);
	const struct evaluator_target target = {.device = device_find("cpu"),
						.info = info,
						.cache = folder,
						.program = "none",
						.build_jobs = 1};
	const struct evaluator_problem o = {.target = &target, .binding = &m->binding};
	ok = ok && !prerequisites_begin(&m->prerequisites, &o, m->pool, &e) &&
	     pool_take(m->pool, -1, &done) &&
	     !prerequisites_take(&m->prerequisites, kernel_build_of(done.id), &done, m->pool, &e);
	tap_ok(ok, "%s is compiled", name);
	pool_done_fini(&done);
	free(path);
	return m->prerequisites.parts[PREREQUISITES_REFERENCE].artifact.path;
}

static char *path_of(const char *cache, const struct binding *b, uint64_t seed)
{
	return reference_path(cache, &(struct reference_key){.binding = b, .seed = seed});
}

static void drop(struct made *m)
{
	prerequisites_cancel(&m->prerequisites, m->pool);
	pool_close(m->pool);
	binding_fini(&m->binding);
	workload_close(m->workload);
}

static void check_file(const char *path, const struct binding *b, const float *x)
{
	struct reference r = {0};
	bool found = false;
	int wrong = 0;

	tap_ok(!reference_open(path, b, &r, &found, &e) && found, "it is kept");
	for (int i = 0; found && i < N; i++)
		wrong += r.tensors[1][i] != 2 * (double)x[i];
	tap_int(wrong, 0, "and right");
	reference_close(&r);
}

static void test(const struct made *m, const char *right, const char *wrong)
{
	static float x[N];
	void *const inputs[WORKLOAD_MAX_TENSORS] = {x};
	const struct device_ops *ops = device_find("cpu");
	struct reference_site site = {.ops = ops, .artifact = right};
	struct reference_sample *sample;
	char *path = path_of(folder, &m->binding, 1);
	char *other = path_of(folder, &m->binding, 2);

	for (int i = 0; i < N; i++)
		x[i] = (float)(i - 300) / 7;
	tap_int(reference_compute(path, &m->binding, right, inputs, 0, &e), ASC_OK,
		"by the function");
	check_file(path, &m->binding, x);
	tap_int(ops->open("", &site.device, &e), ASC_OK, "a device is opened");
	tap_int(reference_sample_new(&m->binding, right, inputs, &sample, &e), ASC_OK, "a sample");
	tap_int(reference_compute_on(other, &m->binding, &site, sample, inputs, 0, &e), ASC_OK,
		"by a device");
	check_file(other, &m->binding, x);
	(void)unlink(other);
	site.artifact = wrong;
	tap_int(reference_compute_on(other, &m->binding, &site, sample, inputs, 0, &e), ASC_INPUT,
		"a device that is wrong where the sample looks");
	tap_has(e.text, "the reference on cpu is wrong: element 500 of y is ", "is found out");
	tap_ok(!file_exists(other), "and nothing is kept");
	reference_sample_free(sample);
	ops->close(site.device);
	free(other);
	free(path);
}

/* Numbers beyond the output's type are infinite, whoever computes them. */
static void test_overflow(struct made *m, const char *right)
{
	static float x[N] = {100000, 1};
	void *const inputs[WORKLOAD_MAX_TENSORS] = {x};
	struct reference_site site = {.ops = device_find("cpu"), .artifact = right};
	struct reference_sample *sample = NULL;
	char *path = path_of(folder, &m->binding, 4);
	const enum dtype type = m->binding.tensors[1].dtype;

	m->binding.tensors[1].dtype = DTYPE_F16;
	for (int on_device = 0; on_device < 2; on_device++) {
		struct reference r = {0};
		bool found = false;

		if (on_device)
			tap_ok(!site.ops->open("", &site.device, &e) &&
				       !reference_sample_new(&m->binding, right, inputs, &sample,
							     &e) &&
				       !reference_compute_on(path, &m->binding, &site, sample,
							     inputs, 0, &e),
			       "the device computes numbers beyond f16");
		else
			tap_int(reference_compute(path, &m->binding, right, inputs, 0, &e), ASC_OK,
				"the function computes numbers beyond f16");
		tap_ok(!reference_open(path, &m->binding, &r, &found, &e) && found &&
			       isinf(r.tensors[1][0]) && r.tensors[1][1] == 2,
		       "they are kept as infinities, others as they are");
		reference_close(&r);
		(void)unlink(path);
	}
	reference_sample_free(sample);
	site.ops->close(site.device);
	m->binding.tensors[1].dtype = type;
	free(path);
}

/* Inputs of functions that took long are in the file, too, of others not. */
static void test_inputs(const struct made *m, const char *right)
{
	enum { SLOW_NS = 500000000 };
	static float x[N];
	void *const inputs[WORKLOAD_MAX_TENSORS] = {x};
	char *path = path_of(folder, &m->binding, 3);
	struct tensor *t = &m->workload->tensors[0];
	const enum fill_kind kind = t->fill.kind;
	struct reference r = {0};
	bool found = false;

	for (int i = 0; i < N; i++)
		x[i] = (float)(i - 100) / 3;
	t->fill.kind = FILL_FUNCTION;
	for (int64_t slow_ns = 0; slow_ns <= SLOW_NS; slow_ns += SLOW_NS) {
		tap_int(reference_compute(path, &m->binding, right, inputs, slow_ns, &e), ASC_OK,
			"inputs that took %lld ns", (long long)slow_ns);
		check_file(path, &m->binding, x);
		tap_ok(!reference_open(path, &m->binding, &r, &found, &e) && found,
		       "are looked for");
		tap_int(r.inputs_ns, slow_ns, "their time is that, or they are not there");
		tap_ok(slow_ns ? r.inputs[0] && memcmp(r.inputs[0], x, sizeof x) == 0
			       : !r.inputs[0],
		       "so are they");
		reference_unmap(&r);
		tap_ok(!r.inputs[0] && !reference_map(&r, &m->binding, &e) &&
			       !r.inputs[0] == !slow_ns,
		       "while the file is mapped");
		reference_close(&r);
	}
	t->fill.kind = kind;
	tap_ok(!reference_open(path, &m->binding, &r, &found, &e) && !found,
	       "a file with inputs that no function makes has the wrong size");
	free(path);
}

/* What keeps a file from being mapped is no want of memory: here its descriptor cannot be read. */
static void test_map(const struct made *m)
{
	char *path = path_of(folder, &m->binding, 1);
	struct reference r = {0};
	bool found = false;

	tap_ok(!reference_open(path, &m->binding, &r, &found, &e) && found, "a reference to map");
	reference_unmap(&r);
	const int unread = open(path, O_WRONLY | O_CLOEXEC);

	(void)dup2(unread, r.file);
	close(unread);
	tap_int(reference_map(&r, &m->binding, &e), ASC_IO, "it is not mapped again");
	tap_has(e.text, "cannot map the reference: Permission denied", "with the reason");
	reference_close(&r);
	free(path);
}

/* Puts a file full of `value` where a worker has its own, and has it moved into the cache. */
static void move(const struct binding *b, double value)
{
	static double file[N + 1];
	char *own = str_print("%s/own", folder), *path = path_of(own, b, 3);

	for (int i = 0; i < N; i++)
		file[i] = value;
	const uint64_t sum = hash_bytes(file, N * sizeof *file);
	memcpy(file + N, &sum, sizeof sum);
	char *parent = path_folder(path);
	tap_ok(!dir_make(parent, &e) && !file_replace(path, file, sizeof file, &e), "a file");
	reference_move(own, folder, &(struct reference_key){.binding = b, .seed = 3});
	free(parent);
	free(path);
	free(own);
}

static double first_kept(const struct binding *b)
{
	char *path = path_of(folder, b, 3);
	struct reference r = {0};
	bool found = false;

	tap_ok(!reference_open(path, b, &r, &found, &e) && found, "the cache has one");
	const double first = found ? r.tensors[1][0] : 0;
	reference_close(&r);
	free(path);
	return first;
}

/* What the cache has stays, unless it is damaged. */
static void test_move(const struct binding *b)
{
	char *kept = path_of(folder, b, 3);

	move(b, 1);
	tap_real(first_kept(b), 1, 0, "the first file is kept");
	move(b, 2);
	tap_real(first_kept(b), 1, 0, "a second one does not replace it");
	tap_int(truncate(kept, 8), 0, "it is damaged");
	move(b, 3);
	tap_real(first_kept(b), 3, 0, "then it is replaced");
	(void)unlink(kept);
	free(kept);
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	struct made good, bad;
	struct device_info info;

	(void)snprintf(folder, sizeof folder, "%.200s/t-reference-XXXXXX",
		       tmp && *tmp ? tmp : "/tmp");
	if (!tap_ok(mkdtemp(folder) && !device_find("cpu")->inspect("", &info, &e), "a folder"))
		return tap_done();
	const char *right = make(&good, "scale.json", &info);
	const char *wrong = make(&bad, "middle.json", &info);
	if (right && wrong) {
		test(&good, right, wrong);
		test_overflow(&good, right);
		test_inputs(&good, right);
		test_map(&good);
	}
	test_move(&good.binding);
	drop(&good);
	drop(&bad);
	dir_remove(folder);
	return tap_done();
}
