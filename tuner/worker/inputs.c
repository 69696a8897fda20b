#include "tuner/worker/inputs.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/base/stats/rng.h"
#include "tuner/device/device.h"
#include "tuner/process/parts.h"
#include "tuner/worker/buffer_label.h"
#include "tuner/worker/worker_problem.h"
#include "tuner/workload/binding/binding_files.h"

/* ---- fills that are C functions of the workload ---- */

enum asc_status input_function_plan(const struct binding *b, size_t tensor, uint64_t seed,
				    struct callable *call, struct plan *plan, struct asc_err *e)
{
	const struct tensor *t = &b->workload->tensors[tensor];
	const int64_t n = b->tensors[tensor].count;

	*call = (struct callable){.source = t->fill.source,
				  .builder = "cc",
				  .entry = {.list = {{.name = t->fill.entry}}, .n = 1},
				  .node = t->fill.node};
	*plan = (struct plan){
		.grid = {1, 1, 1}, .block = {1, 1, 1}, .threads = 1, .n_arguments = 3};
	plan->arguments[0] =
		(struct bound_argument){.kind = ARG_SCRATCH, .bytes = n * (int64_t)sizeof(double)};
	plan->arguments[1] = (struct bound_argument){
		.kind = ARG_SCALAR, .type = DTYPE_I64, .scalar = value_int(n)};
	plan->arguments[2] = (struct bound_argument){
		.kind = ARG_SCALAR, .type = DTYPE_U64, .scalar = value_int((int64_t)seed)};
	for (size_t i = 0; i < t->fill.n_values; i++) {
		struct bound_argument *a = &plan->arguments[plan->n_arguments++];

		*a = (struct bound_argument){
			.kind = ARG_SCALAR, .type = DTYPE_I64, .scalar = value_int(0)};
		if (binding_int(b, &t->fill.values[i], &a->scalar.i, e))
			return e->status;
	}
	return ASC_OK;
}

struct call { /* of a function on the CPU */
	const struct device_ops *ops;
	struct device *device;
	struct device_kernel *kernel;
	struct device_buffer *scratch[PLAN_MAX_ARGUMENTS];
	struct plan plan;
	struct callable callable;
	double *numbers;
};

static enum asc_status call_run(struct call *c, const char *artifact, const char *name,
				const struct bound_tensor *bound, struct asc_err *e)
{
	struct device_buffer *const none[1] = {NULL};
	size_t bytes = (size_t)c->plan.arguments[0].bytes;
	enum device_harm harm;

	if (c->ops->open("", &c->device, e) || c->ops->alloc(c->device, bytes, &c->scratch[0], e))
		return e->status;
	buffer_label_tensor(c->ops, c->scratch[0], name, bound, DTYPE_F64);
	if (c->ops->load(c->device, artifact, c->callable.entry.list[0].name, &c->kernel, e) ||
	    c->ops->bind(c->device, c->kernel, &c->plan, none, c->scratch, e) ||
	    c->ops->launch(c->device, &(struct device_sequence){&c->kernel, 1}, 1, e) ||
	    c->ops->wait(c->device, e))
		return e->status;
	if (device_look(c->ops, c->device, c->scratch[0], &harm, e))
		return e->status;
	/* Looked at before anything is read: what it wrote elsewhere may be anything. */
	if (harm)
		return asc_err_set(e, ASC_INPUT, "wrote outside of its tensor");
	c->numbers = malloc(bytes + 1);
	if (!c->numbers)
		return asc_err_nomem(e);
	return c->ops->read(c->device, c->scratch[0], c->numbers, bytes, e);
}

struct conversion {
	enum dtype type;
	const double *numbers;
	char *out;
};

static void convert_span(void *user, size_t begin, size_t end)
{
	const struct conversion *c = user;

	dtype_from_double(c->type, c->numbers + begin, c->out + begin * dtype_bytes(c->type),
			  end - begin);
}

static void call_fini(struct call *c)
{
	free(c->numbers);
	if (!c->device)
		return;
	c->ops->unload(c->device, c->kernel);
	c->ops->release(c->device, c->scratch[0]);
	c->ops->close(c->device);
}

/* Loads the artifact, runs it in this process, and writes its values to `out` in the tensor's
 * dtype. `seed` is the tensor's own. */
static enum asc_status input_function_fill(const struct binding *b, size_t tensor, uint64_t seed,
					   const char *artifact, void *out, struct asc_err *e)
{
	const struct tensor *t = &b->workload->tensors[tensor];
	const struct bound_tensor *bound = &b->tensors[tensor];
	struct call c = {.ops = device_find("cpu")};
	enum asc_status s = input_function_plan(b, tensor, seed, &c.callable, &c.plan, e);

	if (!s)
		s = call_run(&c, artifact, t->name, bound, e);
	if (s)
		asc_err_wrap(e, "the fill function of tensor %s", t->name);
	else
		parts_pass((size_t)bound->count, convert_span,
			   &(struct conversion){bound->dtype, c.numbers, out});
	call_fini(&c);
	return s;
}

/* ---- fills from files ---- */

enum { CHUNK = 4096 }; /* elements made at a time, which fit the first-level cache */

/* Draws from a normal distribution, whose tails end at the largest number of the type: a number
 * beyond would become an infinity, or a NaN. */
static double draw_normal(struct rng *rng, double mean, double deviation, double largest)
{
	return fmax(-largest, fmin(largest, mean + deviation * rng_normal(rng)));
}

/* Puts new numbers in the place of all that are finite: normally distributed with the mean and the
 * standard deviation of the old ones. Infinities and NaN stay: they are masks, not numbers. */
static void renew(enum dtype type, void *content, int64_t count, struct rng *rng)
{
	char *const bytes = content;
	double numbers[CHUNK], mean = 0, squares = 0;
	int64_t n = 0;

	for (int pass = 0; pass < 2; pass++)
		for (int64_t at = 0; at < count; at += CHUNK) {
			const size_t some = count - at < CHUNK ? (size_t)(count - at) : CHUNK;
			char *const place = bytes + (size_t)at * dtype_bytes(type);

			dtype_to_double(type, place, numbers, some);
			for (size_t i = 0; i < some; i++) {
				if (!isfinite(numbers[i]))
					continue;
				if (pass) {
					numbers[i] =
						draw_normal(rng, mean, sqrt(squares / (double)n),
							    dtype_largest(type));
					continue;
				}
				/* Welford, Technometrics 4 (1962): sums of squares of numbers far
				 * from 0 would cancel. */
				const double off = numbers[i] - mean;

				mean += off / (double)++n;
				squares += off * (numbers[i] - mean);
			}
			if (pass)
				dtype_from_double(type, numbers, place, some);
		}
}

/* Reads tensor `i` of a set. */
static enum asc_status read_file(struct binding_files *files, size_t set, size_t i, uint64_t seed,
				 void *out, struct asc_err *e)
{
	const struct problem *p = files->binding->problem;
	const struct tensor *t = &files->binding->workload->tensors[i];
	const struct bound_tensor *bound = &files->binding->tensors[i];
	const uint64_t mixed[2] = {inputs_seed(seed, t->name), set};
	const struct tensor_member *m;
	struct rng rng;

	if (binding_files_find(files, set, i, CONTENT_BEFORE, &m, e) ||
	    binding_files_read(files, set, i, CONTENT_BEFORE, m, out, e))
		return e->status;
	if (t->fill.file || set >= p->n_sets || !p->sets[set].fresh ||
	    !dtype_is_float(bound->dtype))
		return ASC_OK;
	/* Other numbers in each set, although two may have one file. */
	rng_init(&rng, hash_bytes(mixed, sizeof mixed));
	renew(bound->dtype, out, bound->count, &rng);
	return ASC_OK;
}

/* ---- fills that are made here ---- */

/* State of filling one tensor, from its first element to its last. */
struct stream {
	const struct binding *binding;
	const struct fill *fill;
	const char *name;
	size_t tensor;
	struct rng rng;
	int64_t at;     /* elements made so far */
	int64_t count;  /* elements of the tensor */
	bool whole;     /* integers: rounds reals down, so that [0, 8) never gives 8 */
	double largest; /* number of the type that is finite */
	double a, b;    /* mean and std, low and high, value */
	int64_t low, span, sum;
	int64_t padding; /* slots that are -1 */
	struct order {
		uint64_t n, low_mask; /* numbers 0 .. n-1, in two halves of `bits` bits each */
		int bits;
		uint64_t keys[4];
	} different, places;
};

uint64_t inputs_seed(uint64_t seed, const char *tensor)
{
	uint64_t mixed[2] = {seed, hash_bytes(tensor, strlen(tensor))};

	return hash_bytes(mixed, sizeof mixed);
}

/* ---- generators: `n` more elements ---- */

static void make_normal(struct stream *s, double *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = draw_normal(&s->rng, s->a, s->b, s->largest);
}

static void make_uniform(struct stream *s, double *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = s->a + (s->b - s->a) * rng_uniform(&s->rng);
	for (size_t i = 0; s->whole && i < n; i++)
		out[i] = floor(out[i]); /* as often as every other number of the range */
}

static void make_constant(struct stream *s, double *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = s->a;
}

static void make_index(struct stream *s, double *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t at = s->at + (int64_t)i;
		out[i] = (double)(s->span ? at % s->span : at);
	}
}

/* Random order of 0 .. n-1 without memory: four Feistel rounds permute the next power of four, and
 * numbers outside are permuted again. */
static uint64_t permute(const struct order *o, uint64_t x)
{
	const uint64_t mask = o->low_mask;
	const int bits = o->bits;

	do {
		/* Four rounds make a random permutation of a random function (Luby and Rackoff,
		 * "How to construct pseudorandom permutations", 1988); the multiplier is that of
		 * Fibonacci hashing, 2^64 / the golden ratio. */
		for (int round = 0; round < 4; round++) {
			uint64_t mixed =
				((x & mask) + o->keys[round]) * UINT64_C(0x9e3779b97f4a7c15);
			x = ((x & mask) << bits) | ((x >> bits) ^ ((mixed >> 32) & mask));
		}
	} while (x >= o->n);
	return x;
}

static void make_different(struct stream *s, double *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (double)permute(&s->different, (uint64_t)s->at + i);
}

/* The elements that a random order has first are padding, the others different slots: so exactly
 * as many are as the share says, wherever a part begins. */
static void make_slots(struct stream *s, double *out, size_t n)
{
	if (s->padding == 0) {
		make_different(s, out, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const int64_t place = (int64_t)permute(&s->places, (uint64_t)s->at + i);

		out[i] = place < s->padding
				 ? -1
				 : (double)permute(&s->different, (uint64_t)(place - s->padding));
	}
}

static int64_t next_length(struct stream *s)
{
	return s->low + (int64_t)rng_below(&s->rng, (uint64_t)s->span);
}

static void make_lengths(struct stream *s, double *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		out[i] = (double)(s->fill->cumulative ? s->sum : next_length(s));
		if (s->fill->cumulative)
			s->sum += next_length(s);
	}
}

/* ---- what the formulas say ---- */

static enum asc_status fail(const struct stream *s, struct asc_err *e, const char *what)
{
	return asc_err_set(e, ASC_INPUT, "%s: fill of tensor %s: %s", s->binding->workload->path,
			   s->name, what);
}

static enum asc_status read_two(struct stream *s, const struct formula *a, const struct formula *b,
				struct asc_err *e)
{
	enum asc_status status = binding_real(s->binding, a, &s->a, e);

	return status ? status : binding_real(s->binding, b, &s->b, e);
}

static enum asc_status read_normal(struct stream *s, struct asc_err *e)
{
	return read_two(s, &s->fill->mean, &s->fill->std, e);
}

static enum asc_status read_uniform(struct stream *s, struct asc_err *e)
{
	enum asc_status status = read_two(s, &s->fill->low, &s->fill->high, e);

	if (status)
		return status;
	return s->a <= s->b ? ASC_OK : fail(s, e, "high is below low");
}

static enum asc_status read_constant(struct stream *s, struct asc_err *e)
{
	return binding_real(s->binding, &s->fill->value, &s->a, e);
}

static enum asc_status read_index(struct stream *s, struct asc_err *e)
{
	if (!s->fill->modulo.text)
		return ASC_OK;
	enum asc_status status = binding_int(s->binding, &s->fill->modulo, &s->span, e);
	if (status)
		return status;
	return s->span > 0 ? ASC_OK : fail(s, e, "modulo is not positive");
}

/* Draws a random order of 0 .. n-1. */
static enum asc_status draw_order(struct stream *s, struct order *o, int64_t n, struct asc_err *e)
{
	o->n = (uint64_t)n;
	while (o->bits < 31 && UINT64_C(1) << (2 * o->bits) < (uint64_t)n)
		o->bits++;
	o->low_mask = (UINT64_C(1) << o->bits) - 1;
	for (int i = 0; i < 4; i++)
		o->keys[i] = rng_next(&s->rng);
	return (uint64_t)n <= UINT64_C(1) << 62 ? ASC_OK : fail(s, e, "the range is too large");
}

static enum asc_status read_different(struct stream *s, struct asc_err *e)
{
	const struct fill *f = s->fill;
	int64_t n;
	enum asc_status status = binding_int(
		s->binding, f->kind == FILL_BLOCK_TABLE ? &f->blocks : &f->slots, &n, e);

	if (status)
		return status;
	if (n < s->count - s->padding)
		return asc_err_set(e, ASC_INPUT,
				   "%s: fill of tensor %s: there are no %" PRId64
				   " different numbers below %" PRId64,
				   s->binding->workload->path, s->name, s->count - s->padding, n);
	return draw_order(s, &s->different, n, e);
}

static enum asc_status read_slots(struct stream *s, struct asc_err *e)
{
	enum asc_status status = binding_padding(s->binding, s->tensor, &s->padding, e);

	if (!status)
		status = read_different(s, e);
	/* Behind the keys of the slots, which are so the same with and without padding. */
	return !status && s->padding > 0 ? draw_order(s, &s->places, s->count, e) : status;
}

static enum asc_status read_lengths(struct stream *s, struct asc_err *e)
{
	int64_t high;
	enum asc_status status = binding_int(s->binding, &s->fill->low, &s->low, e);

	if (!status)
		status = binding_int(s->binding, &s->fill->high, &high, e);
	if (status)
		return status;
	if (s->low < 0 || high < s->low || high > INT32_MAX)
		return fail(s, e, "expected 0 <= low <= high < 2^31");
	s->span = high - s->low + 1;
	return ASC_OK;
}

static const struct {
	enum asc_status (*read)(struct stream *s, struct asc_err *e);
	void (*make)(struct stream *s, double *out, size_t n);
	bool chained; /* elements follow from those before */
} generators[] = {
	[FILL_NORMAL] = {read_normal, make_normal, false},
	[FILL_UNIFORM] = {read_uniform, make_uniform, false},
	[FILL_CONSTANT] = {read_constant, make_constant, false},
	[FILL_INDEX] = {read_index, make_index, false},
	[FILL_BLOCK_TABLE] = {read_different, make_different, false},
	[FILL_SLOTS] = {read_slots, make_slots, false},
	[FILL_RAGGED_LENGTHS] = {read_lengths, make_lengths, true},
};

/* ---- parts ---- */

/* True for a kind that makes a tensor as a whole, in one thread. */
static bool is_whole(enum fill_kind kind)
{
	return kind == FILL_FUNCTION || kind == FILL_FILE;
}

size_t inputs_parts(const struct binding *b, size_t tensor)
{
	enum fill_kind kind = b->workload->tensors[tensor].fill.kind;

	size_t n = ((size_t)b->tensors[tensor].count + INPUTS_PART - 1) / INPUTS_PART;

	return is_whole(kind) || generators[kind].chained || n == 0 ? 1 : n;
}

/* Makes the elements from s->at on, before `end`. */
static void make_until(struct stream *s, int64_t end, enum dtype dtype, char *out)
{
	double chunk[CHUNK];

	while (s->at < end) {
		size_t n = end - s->at < CHUNK ? (size_t)(end - s->at) : CHUNK;
		generators[s->fill->kind].make(s, chunk, n);
		dtype_from_double(dtype, chunk, out + (size_t)s->at * dtype_bytes(dtype), n);
		s->at += (int64_t)n;
	}
}

/* Fills a part, which has random numbers of its own. */
enum asc_status inputs_fill_part(const struct binding *b, size_t tensor, uint64_t seed, size_t part,
				 void *out, struct asc_err *e)
{
	const struct tensor *t = &b->workload->tensors[tensor];
	const struct bound_tensor *bound = &b->tensors[tensor];
	uint64_t own = inputs_seed(seed, t->name), mixed[2] = {own, part};
	struct stream s = {.binding = b,
			   .fill = &t->fill,
			   .name = t->name,
			   .tensor = tensor,
			   .count = bound->count,
			   .whole = !dtype_is_float(bound->dtype),
			   .largest = dtype_is_float(bound->dtype) ? dtype_largest(bound->dtype)
								   : INFINITY};

	/* Keys of permutations are those of the whole tensor, drawn before the part's numbers. */
	rng_init(&s.rng, own);
	if (generators[t->fill.kind].read(&s, e))
		return e->status;
	if (part > 0)
		rng_init(&s.rng, hash_bytes(mixed, sizeof mixed));
	s.at = (int64_t)part * INPUTS_PART;
	bool last = part + 1 == inputs_parts(b, tensor);
	make_until(&s, last ? s.count : s.at + INPUTS_PART, bound->dtype, out);
	return ASC_OK;
}

enum asc_status inputs_fill(const struct binding *b, size_t tensor, uint64_t seed,
			    const char *artifact, void *out, struct asc_err *e)
{
	const struct tensor *t = &b->workload->tensors[tensor];
	enum asc_status s = ASC_OK;

	if (t->fill.kind == FILL_FUNCTION)
		return input_function_fill(b, tensor, inputs_seed(seed, t->name), artifact, out, e);
	for (size_t i = 0; !s && i < inputs_parts(b, tensor); i++)
		s = inputs_fill_part(b, tensor, seed, i, out, e);
	return s;
}

/* ---- all of a problem ---- */

struct work { /* shared by all threads */
	const struct binding *binding;
	const struct worker_problem_request *request;
	uint64_t seed; /* of the set */
	void *const *inputs;
};

/* Number of parts that threads make of input i. */
static size_t parts_of(const struct work *w, size_t i)
{
	const bool whole = is_whole(w->binding->workload->tensors[i].fill.kind);

	return w->inputs[i] && !whole ? inputs_parts(w->binding, i) : 0;
}

/* Fills a part, of those of all inputs in a row. */
static enum asc_status fill(void *user, size_t part, struct asc_err *e)
{
	const struct work *w = user;
	size_t i = 0;

	for (; part >= parts_of(w, i); i++)
		part -= parts_of(w, i);
	return inputs_fill_part(w->binding, i, w->seed, part, w->inputs[i], e);
}

static enum asc_status call_function(const struct work *w, size_t i, struct asc_err *e)
{
	const struct worker_problem_request *request = w->request;
	const char *name = w->binding->workload->tensors[i].name, *artifact = NULL;
	const struct json_node *n = json_find(request->fills, name);
	char what[160];

	if (request->artifacts)
		artifact = request->artifacts[i];
	else if (n && json_get_string(n, &artifact, e))
		return e->status;
	if (!artifact)
		return asc_err_set(e, ASC_PROTOCOL, "no artifact for the fill of tensor %s", name);
	(void)snprintf(what, sizeof what, "the fill function of tensor %s", name);
	if (request->doing && request->doing(request->user, what, e))
		return e->status;
	return inputs_fill(w->binding, i, w->seed, artifact, w->inputs[i], e);
}

/* Files are read, and functions run, one by one, in this thread, while the other threads fill:
 * which function crashes is known by its announcement. */
enum asc_status inputs_make(const struct binding *b, const struct worker_problem_request *request,
			    size_t set, void *const inputs[WORKLOAD_MAX_TENSORS], struct asc_err *e)
{
	struct work work = {
		.binding = b, .request = request, .seed = request->seeds[set], .inputs = inputs};
	struct binding_files files = {.binding = b};
	enum asc_status s = ASC_OK;
	struct parts parts;
	struct asc_err other;
	size_t n = 0;

	for (size_t i = 0; i < b->workload->n_tensors; i++)
		n += parts_of(&work, i);
	parts_begin(&parts, n, fill, &work);
	for (size_t i = 0; !s && i < b->workload->n_tensors; i++) {
		const enum fill_kind kind = b->workload->tensors[i].fill.kind;

		if (inputs[i] && kind == FILL_FUNCTION)
			s = call_function(&work, i, e);
		else if (inputs[i] && kind == FILL_FILE)
			s = read_file(&files, set, i, work.seed, inputs[i], e);
	}
	binding_files_close(&files);
	const enum asc_status filled = parts_end(&parts, s ? &other : e);

	s = s ? s : filled;
	for (size_t i = 0; !s && i < b->workload->n_tensors; i++)
		if (inputs[i])
			hard_set_make(request->hard, b, i, inputs[i]);
	return s;
}
