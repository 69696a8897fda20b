#include "tuner/cmd/machine/doctor_device.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "probes/energy_probe.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/listing.h"
#include "tuner/device/device.h"
#include "tuner/device/device_environment.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/process/proc.h"
#include "tuner/process/proc_apart.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/limits/limits.h"

static const int64_t LIMIT_NS = INT64_C(60000000000); /* of all tests of a device */

/* ---- files ---- */

struct examined {
	const char *path;
	const struct library_file *file;
};

/* Findings on a file, plain bytes from another process. */
struct found {
	bool opens;
	char lacks[2048];
};

/* A proc_apart_fn: a damaged file may end the process that opens it. */
static enum asc_status examine(const void *question, void *answer, struct asc_err *e)
{
	const char *path = ((const struct examined *)question)->path;
	struct found *f = answer;
	struct buf missing = {0};
	const enum asc_status status = library_examine(
		path, ((const struct examined *)question)->file->symbols, &missing, e);

	f->opens = status == ASC_OK;
	(void)snprintf(f->lacks, sizeof f->lacks, "%s", buf_str(&missing));
	buf_fini(&missing);
	return status;
}

/* Adds a row for a file of the vendor: where it lies, and which functions it lacks. */
static enum asc_status add_file(const struct library_files *files, const struct library_file *f,
				struct listing *l, struct asc_err *e)
{
	char *path = NULL, *name = str_print("file.%s", f->name);
	struct found found = {0};
	struct buf said = {0}, lack = {0};
	struct asc_err why = {0};

	if (!name || files->find(f->name, &path, e)) {
		free(name);
		return name ? e->status : asc_err_nomem(e);
	}
	const struct examined question = {path ? path : f->name, f};

	/* Loaders name the file, a process that crashed does not. */
	if (proc_apart(examine, &question, &found, sizeof found, PROC_APART_DRIVER_NS, &why) &&
	    !strstr(why.text, f->name))
		(void)asc_err_wrap(&why, "%s", question.path);
	buf_print(&said, "%s: %s%s%s", question.path, f->meaning, *found.lacks ? "; lacks " : "",
		  found.lacks);
	buf_print(&lack, "%s (%s)", why.text, f->meaning);
	listing_add(l, name, found.opens, buf_str(&said), buf_str(&lack));
	enum asc_status status = buf_check(&said, e) ? e->status : buf_check(&lack, e);

	buf_fini(&said);
	buf_fini(&lack);
	free(path);
	free(name);
	return status;
}

static void add_vendors(const char *device, struct listing *l)
{
	for (size_t i = 0; vendor_list[i]; i++) {
		struct asc_err why = {0};
		char *name = str_print("vendor.%s", vendor_list[i]->name);

		/* Functions of Python are of no device: their row is that of the worker. */
		if (name && vendor_list[i]->device && strcmp(vendor_list[i]->device, device) == 0)
			listing_add(l, name, vendor_list[i]->open(&why) == ASC_OK,
				    vendor_list[i]->summary, why.text);
		free(name);
	}
}

/* Square matrices, so that products and sums are of the same shape. */
enum { SIDE = 64, FLOATS = SIDE * SIDE, TENSORS = 3, LAUNCHES = 16 };

struct test {
	const struct device_ops *ops;
	struct device *d;
	struct listing *list;
	struct device_buffer *buffers[TENSORS];
	float values[TENSORS][FLOATS];
};

static bool add_row(struct test *t, const char *name, enum asc_status status, const char *what,
		    const struct asc_err *e)
{
	listing_add(t->list, name, status == ASC_OK, what, e->text);
	return status == ASC_OK;
}

/* ---- the test: copies ---- */

static enum asc_status copy_all(struct test *t, struct asc_err *e)
{
	unsigned char back[sizeof t->values[0]];
	enum device_harm harm;

	for (size_t i = 0; i < TENSORS; i++) {
		for (size_t k = 0; k < FLOATS; k++)
			/* Small whole numbers: sums of their products are exact in any order. */
			t->values[i][k] = (float)((k * 7 + i) % 11);
		if (t->ops->alloc(t->d, sizeof back, &t->buffers[i], e) ||
		    t->ops->write(t->d, t->buffers[i], t->values[i], sizeof back, e) ||
		    t->ops->read(t->d, t->buffers[i], back, sizeof back, e))
			return e->status;
		if (memcmp(back, (const unsigned char *)t->values[i], sizeof back) != 0)
			return asc_err_set(e, ASC_IO, "what is read is not what was written");
		if (device_look(t->ops, t->d, t->buffers[i], &harm, e))
			return e->status;
		if (harm != DEVICE_UNHARMED)
			return asc_err_set(e, ASC_IO, "memory around a buffer is not as it was");
	}
	return ASC_OK;
}

/* ---- the test: launches ---- */

/* Function of a vendor's library with two matrices, one that it makes, and numbers. */
static const struct function {
	const char *device, *source, *entry;
	bool number_first; /* a number comes before the output */
	size_t n;
	struct {
		enum dtype type;
		int64_t value;
	} numbers[8];
	bool product;
} functions[] = {
	{"npu", "aclnn:Add", "Add", true, 1, {{DTYPE_F32, 1}}, false},
	{"cuda",
	 "cublaslt:gemm",
	 "gemm",
	 false,
	 8,
	 {{DTYPE_I64, SIDE},
	  {DTYPE_I64, SIDE},
	  {DTYPE_I64, SIDE},
	  {DTYPE_I64, 0},
	  {DTYPE_I64, 0},
	  {DTYPE_I64, 0},
	  {DTYPE_I64, 0},
	  {DTYPE_I64, 4 << 20}},
	 true},
	{"cpu",
	 "openblas:gemm",
	 "gemm",
	 false,
	 3,
	 {{DTYPE_I64, SIDE}, {DTYPE_I64, SIDE}, {DTYPE_I64, SIDE}},
	 true},
};

/* Plans a launch on matrices 0, 1 and 2, the last one the output, and the function's numbers. */
static void make_plan(const struct function *f, struct plan *p)
{
	*p = (struct plan){.grid = {1, 1, 1}, .block = {1, 1, 1}, .threads = 1};
	for (size_t i = 0; i < TENSORS + f->n; i++) {
		/* Numbers stand before the output or behind it. */
		const size_t before = f->number_first ? 2 : TENSORS;
		const bool number = i >= before && i < before + f->n;
		const size_t k = number ? i - before : i < before ? i : i - f->n;
		struct bound_argument *a = &p->arguments[p->n_arguments++];

		if (!number)
			*a = (struct bound_argument){.kind = ARG_TENSOR,
						     .type = DTYPE_F32,
						     .tensor = k,
						     .rank = 2,
						     .shape = {SIDE, SIDE},
						     .strides = {SIDE, 1}};
		else
			*a = (struct bound_argument){
				.kind = ARG_SCALAR,
				.type = f->numbers[k].type,
				.scalar = dtype_is_float(f->numbers[k].type)
						  ? value_real((double)f->numbers[k].value)
						  : value_int(f->numbers[k].value)};
	}
}

static float expect(const struct test *t, const struct function *f, size_t row, size_t column)
{
	float sum = 0;

	if (!f->product)
		return t->values[0][row * SIDE + column] + t->values[1][row * SIDE + column];
	for (size_t k = 0; k < SIDE; k++)
		sum += t->values[0][row * SIDE + k] * t->values[1][k * SIDE + column];
	return sum;
}

static enum asc_status check_output(struct test *t, const struct function *f, struct asc_err *e)
{
	if (t->ops->read(t->d, t->buffers[2], t->values[2], sizeof t->values[2], e))
		return e->status;
	for (size_t i = 0; i < SIDE; i++)
		for (size_t k = 0; k < SIDE; k++)
			if (t->values[2][i * SIDE + k] != expect(t, f, i, k))
				return asc_err_set(e, ASC_IO,
						   "%s: element %zu of its output is wrong",
						   f->source, i * SIDE + k);
	return ASC_OK;
}

static enum asc_status launch(struct test *t, const struct function *f, struct device_kernel *k,
			      int64_t *ns, struct asc_err *e)
{
	const struct device_batch batch = {.samples = 1, .launches = LAUNCHES};
	struct device_buffer *scratch[PLAN_MAX_ARGUMENTS] = {0};
	static struct plan plan; /* tens of kilobytes: too large for the stack */

	make_plan(f, &plan);
	if (t->ops->bind(t->d, k, &plan, t->buffers, scratch, e) ||
	    t->ops->run(t->d, &(struct device_sequence){&k, 1}, &batch, ns, e))
		return e->status;
	return check_output(t, f, e);
}

/* Launches the function for this kind of device, and takes its time. */
static bool test_launch(struct test *t)
{
	const struct function *f = NULL;
	struct vendor_kernel *v;
	struct device_kernel *k;
	struct asc_err e = {0};
	int64_t ns = 0;
	char text[UNITS_TEXT_SIZE], what[160];

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (strcmp(functions[i].device, t->ops->name) == 0)
			f = &functions[i];
	if (!f)
		return true;
	enum asc_status s = device_load(t->ops, t->d, f->source, f->entry, &v, &k, &e);

	/* Kernels in C need no library: a processor works without one. */
	if (s == ASC_ABSENT && t->ops->info(t->d)->shares_host)
		return add_row(t, "test.launch", ASC_OK,
			       "left out: the library that it would call is not here, and kernels "
			       "in C need none",
			       &e);
	if (s == ASC_OK) {
		s = launch(t, f, k, &ns, &e);
		t->ops->unload(t->d, k);
	}
	(void)snprintf(what, sizeof what, "%s: %d launches, the output is right", f->source,
		       LAUNCHES);
	const bool done = add_row(t, "test.launch", s, what, &e);

	if (s)
		return false;
	/* A clock that does not run is worse than none: every kernel would be as fast. */
	if (ns <= 0)
		s = asc_err_set(&e, ASC_IO, "%d launches took no time", LAUNCHES);
	(void)snprintf(what, sizeof what, "%s: %s for %d launches", t->ops->info(t->d)->clock,
		       units_print_duration((double)ns, text), LAUNCHES);
	return add_row(t, "test.clock", s, what, &e) && done;
}

/* Tests a device: a copy there and back, a function of a vendor's library launched and its output
 * looked at, and the clock. Adds a row for each; true when all hold that the machine has the
 * libraries for. */
static bool test_device(const struct device_ops *ops, const char *place, struct listing *l)
{
	static struct test t; /* its values are too large for the stack */
	struct asc_err e = {0};

	t = (struct test){.ops = ops, .list = l};
	if (!add_row(&t, "test.open", ops->open(place, &t.d, &e), "the device is opened", &e))
		return false;
	const bool copied = add_row(&t, "test.copy", copy_all(&t, &e),
				    "memory is written and read, and its surroundings hold", &e);
	const bool launched = copied && test_launch(&t);

	for (size_t i = 0; i < TENSORS; i++)
		if (t.buffers[i])
			ops->release(t.d, t.buffers[i]);
	ops->close(t.d);
	return copied && launched;
}

/* ---- the device ---- */

static void print_limits(const struct device_info *info, struct buf *out)
{
	struct limits limits;
	char text[UNITS_TEXT_SIZE];

	for (int i = 0; i < FACT_COUNT; i++)
		if (info->facts.known[i])
			buf_print(out, "%s%s %lld", out->len ? ", " : "", facts_name((enum fact)i),
				  (long long)info->facts.value[i]);
	/* A processor's limits are its facts; other devices have a table by their model. */
	if (info->shares_host)
		return;
	if (!limits_find(info->arch, &limits)) {
		buf_print(out, "; no model of that name is known: nothing is pruned by its limits");
		return;
	}
	for (size_t i = 0; i < limits.n_spaces; i++)
		buf_print(out, ", %s %s", limits.spaces[i].name,
			  units_print_bytes((double)limits.spaces[i].bytes, text));
}

static enum asc_status add_facts(const struct device_info *info, struct listing *l,
				 struct asc_err *e)
{
	struct buf limits = {0}, clock = {0};

	listing_add(l, "model", true, info->model, "");
	listing_add(l, "versions", *info->driver != '\0', info->driver,
		    "the runtime does not tell them");
	buf_print(&clock, "%s%s%s", info->clock, *info->clock_passed ? "; " : "",
		  info->clock_passed);
	listing_add(l, "clock", true, buf_str(&clock), "");
	print_limits(info, &limits);
	listing_add(l, "limits", true, buf_str(&limits), "");
	enum asc_status status = buf_check(&limits, e) ? e->status : buf_check(&clock, e);

	buf_fini(&limits);
	buf_fini(&clock);
	return status;
}

/* Adds what is known of the device and its tests; a row with the reason where it is not usable. */
static enum asc_status add_device(const char *device, struct listing *l,
				  enum doctor_outcome *outcome, struct asc_err *e)
{
	const struct device_ops *ops;
	char place[DEVICE_PLACE_SIZE], why[512] = "";
	struct device_info info = {0};
	struct asc_err absent = {0};

	*outcome = DOCTOR_ABSENT;
	if (device_choose(device, &ops, place, why, sizeof why, &absent) ||
	    ops->inspect(place, &info, &absent)) {
		listing_add(l, "device", false, device, absent.text);
		*outcome = absent.status == ASC_USAGE ? DOCTOR_USAGE : DOCTOR_ABSENT;
		return ASC_OK;
	}
	listing_add(l, "device", true, why, "");
	if (add_facts(&info, l, e))
		return e->status;
	/* Before the tests, which compute on the device too. */
	listing_add(l, "energy", energy_check(ops->name, &info, why, sizeof why),
		    "the energy of launches can be told: `--probe energy`, `--objective energy`",
		    why);
	listing_add(l, "peaks", ops->peaks != NULL,
		    "rates of arithmetic and memory are measured at the end of a run",
		    "no peak rates are measured on this kind of device: results have no roofline");
	add_vendors(ops->name, l);
	*outcome = test_device(ops, place, l) ? DOCTOR_WORKS : DOCTOR_FAILED;
	return ASC_OK;
}

enum asc_status doctor_device(const char *device, struct listing *l, enum doctor_outcome *outcome,
			      struct asc_err *e)
{
	const struct device_ops *ops;
	char place[DEVICE_PLACE_SIZE];

	*outcome = DOCTOR_ABSENT;
	if (device_parse(device, &ops, place, e))
		return e->status;
	/* Files come first: they say the most where the device cannot be opened. */
	if (ops && ops->files)
		for (const struct library_file *f = ops->files->list; f->name; f++)
			if (add_file(ops->files, f, l, e))
				return e->status;
	if (add_device(device, l, outcome, e))
		return e->status;
	if (ops && ops->files)
		listing_add(l, "send back", true,
			    *outcome == DOCTOR_WORKS ? "this output (--json), and the first runs "
						       "of docs/ascend.md"
						     : "this output (--json): it says what is "
						       "missing and what still works",
			    "");
	return ASC_OK;
}

/* ---- in another process ---- */

enum asc_status doctor_device_apart(const char *device, bool json, int *status, struct asc_err *e)
{
	const struct device_ops *ops;
	struct device_environment environment;
	const char *variables[DEVICE_MAX_VARIABLES + 1];
	char place[DEVICE_PLACE_SIZE], *program;
	struct proc p;

	if (device_parse(device, &ops, place, e))
		return e->status;
	if (!ops)
		return asc_err_set(e, ASC_USAGE, "--device: name one device, not auto");
	if (device_environment(ops, place, &environment, e))
		return asc_err_wrap(e, "%s", device);
	for (size_t i = 0; i <= DEVICE_MAX_VARIABLES; i++)
		variables[i] = environment.variables[i];
	enum asc_status s = places_program(&program, e);
	if (s == ASC_OK) {
		const char *const argv[] = {program, "examine", device, json ? "--json" : NULL,
					    NULL};

		s = proc_start(&p, &(struct proc_options){.argv = argv, .variables = variables}, e);
		free(program);
	}
	device_environment_fini(&environment);
	if (s)
		return s;
	const bool ended = proc_await_end(&p, LIMIT_NS);

	if (!ended) {
		proc_signal_end(&p);
		return asc_err_set(e, ASC_TIMEOUT, "%s: the test did not end: a driver may hang",
				   device);
	}
	(void)proc_reap(&p);
	if (!WIFEXITED(p.status)) {
		char text[80];

		return asc_err_set(e, ASC_CHILD, "%s: the test %s", device,
				   proc_print_status(p.status, text, sizeof text));
	}
	*status = WEXITSTATUS(p.status);
	return ASC_OK;
}
