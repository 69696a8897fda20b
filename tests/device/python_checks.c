/* Calls of Python functions on the CPU device, in the Python that has loaded this library:
 * python_call.t hands its hooks over. Prints TAP. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/units.h"
#include "tuner/device/cpu/cpu_buffer.h"
#include "tuner/device/device.h"
#include "tuner/device/vendor/python_hooks.h"
#include "tuner/device/vendor/vendor.h"

enum { ROWS = 4, COLUMNS = 8, COUNT = ROWS * COLUMNS };

int python_checks(const struct python_hooks *hooks, const char *file);

static const struct device_ops *const ops = &device_cpu;
static struct device *device;
static struct device_buffer *tensors[2]; /* x and out */
static const char *file;

/* What a call is given, and what is wanted of it. */
struct attempt {
	const char *function;
	bool returns;    /* out is returned, and the keyword `factor` passed */
	bool make;       /* the function gives back what is launched */
	const char *ask; /* function that is asked whether the call is available; NULL: none */
	int launches;    /* that are right */
	double factor;   /* of out / x behind them; 0: out is not looked at */
	enum asc_status status; /* of the step that fails; ASC_OK: none */
	const char *words;      /* in its failure */
};

static const struct attempt attempts[] = {
	{.function = "scale", .launches = 2, .factor = 1},
	{.function = "scaled", .returns = true, .launches = 2, .factor = 2},
	{.function = "scaled_by_columns", .returns = true, .launches = 1, .factor = 2},
	{.function = "maker", .make = true, .launches = 2, .factor = 3},
	{.function = "dlpack", .launches = 1},
	{.function = "reads", .launches = 1},
	{.function = "changes_folder", .launches = 0},
	{.function = "scale", .ask = "is_there", .launches = 1, .factor = 1},
	{.function = "scale",
	 .ask = "is_not",
	 .status = ASC_ABSENT,
	 .words = "index 2 was not built in"},
	{.function = "scale",
	 .ask = "asks_wrongly",
	 .status = ASC_INPUT,
	 .words = "asks_wrongly(x) does not take"},
	{.function = "makes_nothing",
	 .make = true,
	 .status = ASC_INPUT,
	 .words = "makes_nothing gave back int, expected a function without arguments"},
	{.function = "fails_first",
	 .status = ASC_INPUT,
	 .words = "fails_first, warm-up call 1: ValueError: not today (attempts.py, line "},
	{.function = "fails_at_500",
	 .launches = 499,
	 .status = ASC_INPUT,
	 .words = "fails_at_500, launch 500: KeyError: 'late' (attempts.py, line "},
	{.function = "fails_below",
	 .status = ASC_INPUT,
	 .words =
		 "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: "
		 "line 1 column 2 (char 1) (attempts.py, line "},
	{.function = "fails_by_own",
	 .status = ASC_INPUT,
	 .words = "warm-up call 1: attempts.Own: mine (attempts.py, line "},
	{.function = "exits", .status = ASC_INPUT, .words = "warm-up call 1: SystemExit: 3"},
	{.function = "unprintable", .status = ASC_INPUT, .words = "Unprintable"},
	{.function = "nothing",
	 .status = ASC_INPUT,
	 .words = "nothing(a, b, c, *, d, e, f) does not take (float32[4, 8], float32[4, 8]): "
		  "missing a required argument: 'c'"},
	{.function = "not_there",
	 .status = ASC_INPUT,
	 .words = "attempts.py has no function not_there"},
	{.function = "not_callable",
	 .status = ASC_INPUT,
	 .words = "attempts.py: not_callable is no function but int"},
	{.function = "none",
	 .returns = true,
	 .launches = 1,
	 .status = ASC_INPUT,
	 .words = "it returned None, no tensor: out is float32[4, 8]"},
	{.function = "number",
	 .returns = true,
	 .launches = 1,
	 .status = ASC_INPUT,
	 .words = "it returned float, no tensor"},
	{.function = "two",
	 .returns = true,
	 .launches = 1,
	 .status = ASC_INPUT,
	 .words = "it returned 2 values, expected 1: out"},
	{.function = "flat",
	 .returns = true,
	 .launches = 1,
	 .status = ASC_INPUT,
	 .words = "it returned float32[4, 7]: out is float32[4, 8]"},
	{.function = "narrow",
	 .returns = true,
	 .launches = 1,
	 .status = ASC_INPUT,
	 .words = "it returned float16[4, 8]: out is float32[4, 8]"},
	{.function = "elsewhere",
	 .returns = true,
	 .launches = 1,
	 .status = ASC_INPUT,
	 .words = "it returned a tensor on cuda:0: out is on cpu"},
	{.function = "nowhere",
	 .returns = true,
	 .launches = 1,
	 .status = ASC_INPUT,
	 .words = "it returned a tensor on meta: out is on cpu"},
	{.function = "same",
	 .returns = true,
	 .launches = 1,
	 .status = ASC_INPUT,
	 .words = "it returned for out a view of argument 0, which it was given"},
	{.function = "part",
	 .returns = true,
	 .launches = 1,
	 .status = ASC_INPUT,
	 .words = "a view of argument 0"},
};

static struct bound_argument *add(struct plan *p, enum argument_kind kind, const char *name)
{
	p->arguments[p->n_arguments] = (struct bound_argument){.kind = kind, .name = name};
	return &p->arguments[p->n_arguments++];
}

static struct bound_argument *add_tensor(struct plan *p, size_t tensor, const char *name)
{
	struct bound_argument *a = add(p, ARG_TENSOR, name);

	a->tensor = tensor;
	a->type = DTYPE_F32;
	a->rank = 2;
	a->shape[0] = ROWS;
	a->shape[1] = a->strides[0] = COLUMNS;
	a->strides[1] = 1;
	return a;
}

static void add_scalar(struct plan *p, enum dtype type, struct value v, const char *name)
{
	struct bound_argument *a = add(p, ARG_SCALAR, name);

	a->type = type;
	a->scalar = v;
}

static void plan_init(struct plan *p, const struct python_use *use)
{
	*p = (struct plan){.grid = {1, 1, 1}, .threads = 1, .python = use};
}

/* Loads and binds a function of the file. */
static enum asc_status bind(const char *function, const struct plan *p, struct vendor_kernel **v,
			    struct device_kernel **k, struct asc_err *e)
{
	struct device_buffer *scratch[PLAN_MAX_ARGUMENTS] = {0};
	char source[600];

	(void)snprintf(source, sizeof source, "python:%s:%s", file, function);
	if (device_load(ops, device, source, "", v, k, e))
		return e->status;
	return ops->bind(device, *k, p, tensors, scratch, e);
}

static enum asc_status launch(struct device_kernel *k, int64_t n, int64_t *ns, struct asc_err *e)
{
	const struct device_sequence s = {&k, 1};
	const struct device_batch batch = {.samples = 1, .launches = n};

	return ops->run(device, &s, &batch, ns, e);
}

static bool out_is(double factor)
{
	const float *x = ops->address(tensors[0]), *out = ops->address(tensors[1]);

	for (int i = 0; i < COUNT; i++)
		if ((double)out[i] != (double)x[i] * factor)
			return false;
	return true;
}

/* Makes the launches that are right, with poison in front of each. */
static enum asc_status attempt(const struct attempt *a, struct plan *p, struct vendor_kernel **v,
			       struct device_kernel **k, struct asc_err *e)
{
	enum asc_status s = bind(a->function, p, v, k, e);
	int64_t ns;

	for (int i = 0; !s && i < a->launches; i++) {
		(void)ops->fill(device, tensors[1], 0xFF, e);
		s = launch(*k, 1, &ns, e);
		if (!s)
			s = vendor_collect(*v, e);
		if (!s && a->factor > 0)
			tap_ok(out_is(a->factor), "%s: launch %d is right", a->function, i + 1);
	}
	return s || a->status == ASC_OK ? s : launch(*k, 1, &ns, e);
}

static void check_attempts(void)
{
	for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
		const struct attempt *a = &attempts[i];
		char asked[600];
		struct python_use use = {.make = a->make};
		struct vendor_kernel *v;
		struct device_kernel *k = NULL;
		struct plan p;
		struct asc_err e = {0};

		(void)snprintf(asked, sizeof asked, "%s:%s", file, a->ask ? a->ask : "");
		use.available = a->ask ? asked : NULL;
		plan_init(&p, &use);
		add_tensor(&p, 0, NULL);
		if (a->returns) {
			add_scalar(&p, DTYPE_F32, value_int(2), "factor");
			add_tensor(&p, 1, "out")->returned = true;
		} else {
			add_tensor(&p, 1, NULL);
		}
		tap_int(attempt(a, &p, &v, &k, &e), a->status, "%s: ends as it should",
			a->function);
		if (a->words)
			tap_has(e.text, a->words, "%s: says why", a->function);
		else if (e.status)
			tap_note("%s", e.text);
		ops->unload(device, k);
	}
}

/* Memory that is handed out twice has no right answer in it the second time. */
static void check_poison(void)
{
	const struct python_use use = {0};
	struct vendor_kernel *v;
	struct device_kernel *k = NULL;
	struct plan p;
	struct asc_err e = {0};
	int64_t ns;

	plan_init(&p, &use);
	add_tensor(&p, 0, NULL);
	add_scalar(&p, DTYPE_F32, value_int(2), "factor");
	add_tensor(&p, 1, "out")->returned = true;
	tap_int(bind("kept", &p, &v, &k, &e), ASC_OK, "a function that keeps its result: %s",
		e.text);
	tap_int(launch(k, 1, &ns, &e) || vendor_collect(v, &e), 0, "is launched");
	tap_ok(out_is(2), "the first answer is right");
	tap_int(launch(k, 1, &ns, &e) || vendor_collect(v, &e), 0, "is launched again");
	tap_ok(!out_is(2), "the second answer is poison");
	ops->unload(device, k);
}

/* A tensor that is returned may lie scattered in its memory: what lies between stays. */
static void check_scattered(void)
{
	const struct python_use use = {0};
	struct device_buffer *const out = tensors[1];
	struct vendor_kernel *v;
	struct device_kernel *k = NULL;
	struct plan p;
	struct asc_err e = {0};
	bool right = true, kept = true;
	int64_t ns;

	if (!tap_int(ops->alloc(device, 2 * COUNT * sizeof(float), &tensors[1], &e), ASC_OK,
		     "memory for a view"))
		return;
	(void)ops->fill(device, tensors[1], 0, &e);
	plan_init(&p, &use);
	add_tensor(&p, 0, NULL);
	add_scalar(&p, DTYPE_F32, value_int(2), "factor");
	struct bound_argument *a = add_tensor(&p, 1, "out");
	a->returned = a->scattered = true;
	a->strides[0] = 2 * COLUMNS;
	tap_int(bind("scaled_by_columns", &p, &v, &k, &e) || launch(k, 1, &ns, &e) ||
			vendor_collect(v, &e),
		0, "is copied into a view");
	const float *x = ops->address(tensors[0]), *view = ops->address(tensors[1]);
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
			right &= view[i * 2 * COLUMNS + j] == 2 * x[i * COLUMNS + j];
			kept &= view[i * 2 * COLUMNS + COLUMNS + j] == 0;
		}
	tap_ok(right, "its elements are right");
	tap_ok(kept, "what lies between is left alone");
	ops->unload(device, k);
	ops->release(device, tensors[1]);
	tensors[1] = out;
}

static void check_kinds(void)
{
	const struct python_use use = {0};
	struct vendor_kernel *v;
	struct device_kernel *k = NULL;
	struct plan p;
	struct asc_err e = {0};

	plan_init(&p, &use);
	add_tensor(&p, 0, NULL);
	add(&p, ARG_TEXT, NULL)->text = "hi";
	add_scalar(&p, DTYPE_BOOL, value_bool(true), NULL);
	add_scalar(&p, DTYPE_I64, value_int(7), NULL);
	add_scalar(&p, DTYPE_F64, value_real(0.5), NULL);
	add(&p, ARG_NULL, NULL);
	struct bound_argument *list = add(&p, ARG_LIST, NULL);
	list->rank = 2;
	list->shape[0] = 1;
	list->shape[1] = 2;
	add(&p, ARG_BUILTIN, NULL)->builtin = BUILTIN_STREAM;
	add(&p, ARG_TEXT, "mode")->text = "fast";
	tap_int(bind("kinds", &p, &v, &k, &e), ASC_OK, "arguments of all kinds: %s", e.text);
	ops->unload(device, k);
	k = NULL;
	add(&p, ARG_BUILTIN, NULL)->builtin = BUILTIN_THREADS;
	tap_int(bind("kinds", &p, &v, &k, &e), ASC_INPUT, "another builtin is refused");
	ops->unload(device, k);
}

static void check_folder(void)
{
	char before[300], after[300];
	const struct python_use use = {0};
	struct vendor_kernel *v;
	struct device_kernel *k = NULL;
	struct plan p;
	struct asc_err e = {0};

	plan_init(&p, &use);
	add_tensor(&p, 0, NULL);
	add_tensor(&p, 1, NULL);
	if (!getcwd(before, sizeof before))
		return;
	tap_int(bind("changes_folder", &p, &v, &k, &e), ASC_OK, "changes its folder");
	tap_str(getcwd(after, sizeof after) ? after : "", before, "which is put back");
	ops->unload(device, k);
}

/* Launches once with x and out in memory of their own; false where out is not x times that. */
static bool moved(const char *function, bool make, double factor)
{
	struct device_buffer *const old[] = {tensors[0], tensors[1]};
	struct device_buffer *scratch[PLAN_MAX_ARGUMENTS] = {0};
	const struct python_use use = {.make = make};
	struct vendor_kernel *v;
	struct device_kernel *k = NULL;
	struct plan p;
	struct asc_err e = {0};
	int64_t ns;

	plan_init(&p, &use);
	add_tensor(&p, 0, NULL);
	add_tensor(&p, 1, NULL);
	if (!tap_int(bind(function, &p, &v, &k, &e), ASC_OK, "%s: %s", function, e.text))
		return false;
	for (size_t i = 0; i < 2; i++)
		if (ops->alloc(device, COUNT * sizeof(float), &tensors[i], &e) ||
		    ops->copy(device, tensors[i], old[i], &e) || ops->fill(device, old[i], 0, &e))
			return false;
	(void)ops->fill(device, tensors[1], 0, &e);
	const bool right = tap_int(ops->bind(device, k, &p, tensors, scratch, &e), ASC_OK,
				   "%s: moves: %s", function, e.text) &&
			   launch(k, 1, &ns, &e) == ASC_OK && out_is(factor);

	for (size_t i = 0; i < 2; i++) {
		(void)ops->copy(device, old[i], tensors[i], &e);
		ops->release(device, tensors[i]);
		tensors[i] = old[i];
	}
	ops->unload(device, k);
	return right;
}

static void check_move(void)
{
	tap_ok(moved("counted", false, 4), "the first launch follows three calls, before the move");
	tap_ok(moved("makes_anew", true, 2), "what was made is made anew");
	tap_ok(!moved("remembers", false, 1), "a cache without addresses does not");
}

/* Least time of a launch, of several tries of many: tests/bench/library_calls has the limit. */
static void note_time(void)
{
	const struct python_use use = {0};
	struct vendor_kernel *v;
	struct device_kernel *k = NULL;
	struct plan p;
	struct asc_err e = {0};
	int64_t ns, least = INT64_MAX;
	enum { TRIES = 20, LAUNCHES = 10000 };

	plan_init(&p, &use);
	add_tensor(&p, 0, NULL);
	add_tensor(&p, 1, NULL);
	add_scalar(&p, DTYPE_I64, value_int(7), NULL);
	add_scalar(&p, DTYPE_I64, value_int(7), "d");
	add_scalar(&p, DTYPE_F64, value_real(1), "e");
	add(&p, ARG_NULL, "f");
	tap_int(bind("nothing", &p, &v, &k, &e), ASC_OK, "six arguments, three by keyword");
	for (int i = 0; i < TRIES && k; i++)
		if (launch(k, LAUNCHES, &ns, &e) == ASC_OK && ns < least)
			least = ns;
	tap_note("%.0f ns a launch", (double)least / LAUNCHES);
	ops->unload(device, k);
}

/* Launches in a row, some of which raise, hold the interpreter's lock, and no longer. */
static void check_lock(void)
{
	void *const found = dlsym(RTLD_DEFAULT, "PyGILState_Check");
	int (*is_held)(void);

	memcpy(&is_held, &found, sizeof is_held);
	tap_ok(found && !is_held(), "the interpreter's lock is given back");
}

int python_checks(const struct python_hooks *hooks, const char *functions)
{
	struct vendor_kernel *v;
	struct device_kernel *k;
	struct asc_err e;

	file = functions;
	if (!tap_int(ops->open("", &device, &e), ASC_OK, "the device is opened"))
		return tap_done();
	tap_int(device_load(ops, device, "python:math:sqrt", "", &v, &k, &e), ASC_ABSENT,
		"without hooks no function of Python is there");
	tap_has(e.text, "--python", "and the failure says what to do");
	struct python_hooks other = *hooks;
	other.version++;
	python_hooks_set(&other);
	tap_int(device_load(ops, device, "python:math:sqrt", "", &v, &k, &e), ASC_ABSENT,
		"nor with hooks of another version");
	python_hooks_set(hooks);
	for (size_t i = 0; i < 2; i++)
		if (!tap_int(ops->alloc(device, COUNT * sizeof(float), &tensors[i], &e), ASC_OK,
			     "a tensor"))
			return tap_done();
	float x[COUNT];
	for (int i = 0; i < COUNT; i++)
		x[i] = (float)(i + 1);
	(void)ops->write(device, tensors[0], x, sizeof x, &e);
	check_attempts();
	check_lock();
	check_poison();
	check_scattered();
	check_kinds();
	check_folder();
	check_move();
	note_time();
	for (size_t i = 0; i < 2; i++)
		ops->release(device, tensors[i]);
	ops->close(device);
	(void)fflush(stdout);
	return tap_done();
}
