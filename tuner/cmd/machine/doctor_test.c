#include "tuner/cmd/machine/doctor_test.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/cmd/listing.h"
#include "tuner/device/device.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/workload/binding/binding.h"

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

/* ---- copies ---- */

static enum asc_status copy_all(struct test *t, struct asc_err *e)
{
	unsigned char back[sizeof t->values[0]];
	enum device_harm harm;

	for (size_t i = 0; i < TENSORS; i++) {
		for (size_t k = 0; k < FLOATS; k++)
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

/* ---- launches ---- */

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

static void add_matrix(struct plan *p, size_t i)
{
	p->arguments[p->n_arguments++] = (struct bound_argument){.kind = ARG_TENSOR,
								 .type = DTYPE_F32,
								 .tensor = i,
								 .rank = 2,
								 .shape = {SIDE, SIDE}};
}

static void add_numbers(const struct function *f, struct plan *p)
{
	for (size_t i = 0; i < f->n; i++)
		p->arguments[p->n_arguments++] = (struct bound_argument){
			.kind = ARG_SCALAR,
			.type = f->numbers[i].type,
			.scalar = dtype_is_float(f->numbers[i].type)
					  ? value_real((double)f->numbers[i].value)
					  : value_int(f->numbers[i].value)};
}

static void make_plan(const struct function *f, struct plan *p)
{
	*p = (struct plan){.grid = {1, 1, 1}, .block = {1, 1, 1}, .threads = 1};
	add_matrix(p, 0);
	add_matrix(p, 1);
	if (f->number_first)
		add_numbers(f, p);
	add_matrix(p, 2);
	if (!f->number_first)
		add_numbers(f, p);
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
	static struct plan plan;

	make_plan(f, &plan);
	if (t->ops->bind(t->d, k, &plan, t->buffers, scratch, e) ||
	    t->ops->run(t->d, &(struct device_sequence){&k, 1}, &batch, ns, e))
		return e->status;
	return check_output(t, f, e);
}

/* Small whole numbers: sums of their products are exact in any order. */
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
	if (ns <= 0)
		s = asc_err_set(&e, ASC_IO, "%d launches took no time", LAUNCHES);
	(void)snprintf(what, sizeof what, "%s: %s for %d launches", t->ops->info(t->d)->clock,
		       units_print_duration((double)ns, text), LAUNCHES);
	return add_row(t, "test.clock", s, what, &e) && done;
}

bool doctor_test(const struct device_ops *ops, const char *place, struct listing *l)
{
	static struct test t;
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
