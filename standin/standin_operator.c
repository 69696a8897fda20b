#include "standin/standin_operator.h"

#include <stdlib.h>
#include <string.h>

#include "standin/standin_content.h"
#include "standin/standin_done.h"
#include "standin/standin_launch.h"
#include "standin/standin_memory.h"
#include "standin/standin_model.h"
#include "tuner/base/hash.h"
#include "tuner/base/strides.h"

enum { WORKSPACE_BYTES = 16 << 20, CUBE_OPERATIONS = 2 * 16 * 16 * 16 };

/* A launch in a stream's queue. */
struct run {
	const struct standin_operator *op;
	struct standin_operands operands;
	int part; /* of several kernels; the first one computes */
};

/* Operand `i`: the inputs, then the outputs. */
static const struct standin_view *operand(const struct standin_operands *o, size_t i)
{
	return i < o->n_in ? &o->in[i] : &o->out[i - o->n_in];
}

/* ---- computing ---- */

static void use_memory(const struct standin_operands *o, int users)
{
	for (size_t i = 0; i < o->n_in + o->n_out; i++)
		standin_memory_use(operand(o, i)->data, users);
}

/* Key of a launch at its places, or of what it computes wherever that lies. */
static struct standin_key key_of(const struct run *r, bool places)
{
	const struct standin_operands *o = &r->operands;
	struct standin_key k = {0};

	standin_key_add(&k, (int64_t)(uintptr_t)r->op);
	standin_key_add_bytes(&k, &o->number, sizeof o->number);
	standin_key_add_bytes(&k, &o->second, sizeof o->second);
	standin_key_add(&k, o->dim);
	standin_key_add(&k, o->truth);
	standin_key_add(&k, (int64_t)o->n_in);
	for (size_t i = 0; i < o->n_in + o->n_out; i++) {
		const struct standin_view *v = operand(o, i);

		standin_key_add(&k, v->type);
		if (places) {
			standin_key_add_bytes(&k, &v->data, sizeof v->data);
			standin_key_add(&k, v->offset);
		}
		standin_key_add_bytes(&k, v->dims, v->rank * sizeof *v->dims);
		standin_key_add_bytes(&k, v->strides, v->rank * sizeof *v->strides);
	}
	return k;
}

/* Computes in float64, with the lock released: neither a call of the host nor another stream waits
 * for it. `room` has all values of inputs and outputs, one operand behind the other. */
static void compute_at(const struct run *r, void *const *at, double *room, const char **fault)
{
	const struct standin_operands *o = &r->operands;
	struct standin_values v = {.fault = fault};

	for (size_t i = 0; i < o->n_in + o->n_out; i++) {
		const size_t n = (size_t)standin_view_count(operand(o, i));

		if (i < o->n_in)
			standin_view_read(&o->in[i], at[i], v.in[i] = room);
		else
			v.out[i - o->n_in] = memset(room, 0, n * sizeof *room);
		room += n;
	}
	r->op->compute(o, &v);
	for (size_t i = 0; i < o->n_out; i++)
		standin_view_write(&o->out[i], at[o->n_in + i], v.out[i]);
}

/* Bytes from a view's first element to its last, with what lies between. */
static size_t span_of(const struct standin_view *v)
{
	int64_t last = 0;

	for (size_t k = 0; k < v->rank; k++)
		last += (v->dims[k] - 1) * v->strides[k];
	return (size_t)(last + 1) * dtype_bytes(v->type);
}

/* The view's first element, with the bytes of its data. */
static char *first_of(const struct standin_view *v, void *data)
{
	return (char *)data + v->offset * (int64_t)dtype_bytes(v->type);
}

/* Copies outputs one behind the other, or back. */
static void copy_outputs(const struct standin_operands *o, void *const *at, unsigned char *copy,
			 bool back)
{
	for (size_t i = 0; i < o->n_out; i++) {
		const size_t n = span_of(&o->out[i]);
		char *out = first_of(&o->out[i], at[o->n_in + i]);

		if (back)
			memcpy(out, copy, n);
		else
			memcpy(copy, out, n);
		copy += n;
	}
}

/* Writes the results: computed, or those of an earlier launch whose inputs had the same contents.
 * Everything that takes long is done with the lock released: neither a call of the host nor another
 * stream waits for it, and the tensors' memory is kept meanwhile. */
static void write_results(const struct run *r, void *const *at, double *room, const char **fault)
{
	const struct standin_operands *o = &r->operands;
	struct standin_key key = key_of(r, false);
	size_t bytes = 0;
	bool whole = true; /* outputs have no gaps, which are not to be overwritten */

	for (size_t i = 0; i < o->n_out; i++) {
		const size_t n = (size_t)standin_view_count(&o->out[i]);

		whole = whole && span_of(&o->out[i]) == n * dtype_bytes(o->out[i].type);
		bytes += span_of(&o->out[i]);
	}
	pthread_mutex_unlock(&standin_lock);
	for (size_t i = 0; i < o->n_in; i++)
		standin_key_add(
			&key, (int64_t)hash_bytes(first_of(&o->in[i], at[i]), span_of(&o->in[i])));
	pthread_mutex_lock(&standin_lock);
	struct standin_copy *copy = whole ? standin_copy_find(&key) : NULL;
	const bool found = copy != NULL;

	if (whole && !found)
		copy = standin_copy_new(&key, bytes);
	pthread_mutex_unlock(&standin_lock);
	if (!found)
		compute_at(r, at, room, fault);
	if (copy)
		copy_outputs(o, at, standin_copy_bytes(copy), found);
	pthread_mutex_lock(&standin_lock);
	if (copy)
		standin_copy_leave(copy);
}

/* Moves elements, with the lock released as well. */
static void move(const struct run *r, void *const *at, const char **fault)
{
	pthread_mutex_unlock(&standin_lock);
	r->op->move(&r->operands, at, fault);
	pthread_mutex_lock(&standin_lock);
}

static void compute(const struct run *r, struct standin_stream *s)
{
	const struct standin_operands *o = &r->operands;
	void *at[STANDIN_MAX_LIST + STANDIN_MAX_OUTPUTS] = {NULL};
	size_t values = 0;

	for (size_t i = 0; i < o->n_in + o->n_out; i++) {
		at[i] = standin_view_at(operand(o, i));
		if (!at[i]) {
			standin_lose(RT_AICORE_EXCEPTION,
				     "aclnn%s: a tensor is not in device memory", r->op->name);
			return;
		}
		values += (size_t)standin_view_count(operand(o, i));
	}
	/* A stream's own, which it keeps; NULL: of a launch that is made for somebody else. */
	double *own = s || r->op->move ? NULL : malloc(values * sizeof *own + 1);
	double *room = !r->op->move && s ? standin_stream_room(s, values * sizeof *room) : own;
	const char *fault = NULL;

	if (!room && !r->op->move) {
		standin_lose(RT_MEMORY_ALLOCATION, "aclnn%s: no host memory to compute in",
			     r->op->name);
		return;
	}
	use_memory(o, 1);
	if (r->op->move)
		move(r, at, &fault);
	else
		write_results(r, at, room, &fault);
	use_memory(o, -1);
	free(own);
	if (fault)
		standin_lose(RT_AICORE_EXCEPTION, "aclnn%s: %s", r->op->name, fault);
	for (size_t i = 0; i < o->n_out; i++)
		if (r->op->partial)
			standin_memory_touch(o->out[i].data);
		else
			standin_memory_touch_region(o->out[i].data);
}

/* Time of all kernels together. */
static double model_ns(const struct run *r)
{
	const struct standin_control *c = standin_get_control();
	const struct standin_operands *o = &r->operands;
	const double cores = (double)c->limits.facts.value[FACT_PROCESSORS],
		     cycles_per_ns = 1e-3 * c->rates.mhz;
	double bytes = 0;

	for (size_t i = 0; i < o->n_in + o->n_out; i++)
		bytes += standin_view_bytes(operand(o, i));
	if (r->op->bytes)
		bytes = r->op->bytes(o);
	const double operations = r->op->operations ? r->op->operations(o) : 0;
	return (bytes / c->rates.memory_per_cycle + operations / CUBE_OPERATIONS) /
	       (cores * cycles_per_ns);
}

/* ---- launches that are put off ---- */

/* A launch whose results are known is not computed at its turn, but put off until somebody reads or
 * writes its tensors. The launches of a chain that is made once more end with everything as it was
 * before, and need not be made at all: also where the chain changes tensors in place. */
enum { PUT_OFF = 64, KNOWN = 4096 };

static struct run put_off[PUT_OFF];
static uint64_t contents[PUT_OFF + 1]; /* of all regions before each of them, and behind the last */
static size_t n_put_off;
static bool settling;
static uint64_t known[KNOWN]; /* results that were computed, by their numbers */

static void settle_all(void)
{
	settling = true;
	for (size_t i = 0; i < n_put_off && !standin_lost(); i++)
		compute(&put_off[i], NULL);
	if (n_put_off > 0 && standin_lost())
		standin_content_clear();
	n_put_off = 0;
	settling = false;
	pthread_cond_broadcast(&standin_progress);
}

/* Waits where another thread makes launches that were put off. */
static void await_settled(void)
{
	while (settling)
		pthread_cond_wait(&standin_progress, &standin_lock);
}

void standin_operator_settle(const void *address)
{
	const void *begin = standin_memory_begin(address);
	bool involved = false;

	await_settled();
	for (size_t i = 0; i < n_put_off; i++) {
		const struct standin_operands *o = &put_off[i].operands;

		for (size_t k = 0; k < o->n_in + o->n_out; k++)
			involved |= begin && standin_memory_begin(operand(o, k)->data) == begin;
	}
	if (involved)
		settle_all();
}

/* Number of a launch's results: of what it does, where, and what its inputs hold. */
static uint64_t results_of(const struct run *r)
{
	struct standin_key k = key_of(r, true);

	for (size_t i = 0; i < r->operands.n_in; i++)
		standin_key_add(&k, (int64_t)standin_content_find(&r->operands.in[i]));
	return hash_bytes(k.words, k.n * sizeof *k.words);
}

static void set_contents(const struct standin_operands *o, uint64_t results)
{
	for (size_t i = 0; i < o->n_out; i++)
		standin_content_set(&o->out[i], results + i);
}

/* Puts a launch off. Where everything is then as it was before another one, nothing from that one
 * on need be made. */
static void put_it_off(const struct run *r, uint64_t results)
{
	size_t same = 0;

	contents[n_put_off] = standin_content_all();
	put_off[n_put_off++] = *r;
	set_contents(&r->operands, results);
	contents[n_put_off] = standin_content_all();
	while (contents[same] != contents[n_put_off])
		same++;
	n_put_off = same;
}

/* Sees to it that the results are there, now or once somebody looks. */
static void make(const struct run *r, struct standin_stream *s)
{
	const struct standin_operands *o = &r->operands;
	bool there = !r->op->partial, split = false;

	await_settled();
	const uint64_t results = results_of(r);
	for (size_t i = 0; i < o->n_out; i++) {
		there = there && standin_content_find(&o->out[i]) == results + i;
		split |= standin_content_is_split(&o->out[i]);
	}
	if (there)
		return;
	if (!r->op->partial && !split && n_put_off < PUT_OFF && known[results % KNOWN] == results) {
		put_it_off(r, results);
		return;
	}
	settle_all();
	if (!standin_lost())
		compute(r, s);
	if (standin_lost()) {
		standin_content_clear();
		return;
	}
	if (r->op->partial)
		return;
	set_contents(o, results);
	known[results % KNOWN] = results;
}

static double run(void *user, struct standin_stream *s)
{
	const struct run *r = user;

	if (r->part == 0)
		make(r, s);
	return STANDIN_EMPTY_NS + model_ns(r) / r->op->kernels;
}

/* ---- phases ---- */

static int check(const struct standin_operator *op, const struct standin_operands *o)
{
	for (size_t i = 0; i < o->n_in + o->n_out; i++)
		if (!operand(o, i)->data)
			return standin_fail(ACLNN_NULLPTR, "aclnn%s: a null pointer", op->name);
	if (!op->fits(o))
		return standin_fail(ACLNN_INVALID,
				    "aclnn%s: shapes or types that it does "
				    "not take",
				    op->name);
	if (op->shaped && !op->shaped(o))
		return standin_fail(ACLNN_INNER_SHAPE, "aclnn%s: shapes that it does not take",
				    op->name);
	for (size_t i = 0; i < o->n_out; i++)
		if (strides_overlap(o->out[i].dims, o->out[i].strides, o->out[i].rank))
			return standin_fail(ACLNN_INVALID,
					    "aclnn%s: an output has two elements in one place",
					    op->name);
	return STANDIN_OK;
}

int standin_operator_prepare(const char *name, const struct standin_operands *o,
			     uint64_t *workspace_bytes, struct aclOpExecutor **out)
{
	const struct standin_operator *op = standin_operator_find(name);

	if (!workspace_bytes || !out)
		return standin_fail(ACLNN_NULLPTR, "aclnn%s: a null pointer", name);
	const int code = check(op, o);
	struct aclOpExecutor *x = code ? NULL : standin_new(STANDIN_EXECUTOR, sizeof *x);
	if (!x)
		return code ? code : standin_fail(ACLNN_RUNTIME_ERROR, "no host memory");
	x->op = op;
	x->operands = *o;
	x->workspace_bytes = op->workspace ? WORKSPACE_BYTES : 0;
	*workspace_bytes = x->workspace_bytes;
	*out = x;
	return STANDIN_OK;
}

static void release(void *user)
{
	free(user);
}

/* Queues the kernels, or the work alone where there is none. */
static int queue(const struct aclOpExecutor *x, struct standin_stream *s)
{
	const bool recorded = !x->op->silent || !x->op->silent(&x->operands);
	int code = STANDIN_OK;

	for (int part = 0; part < x->op->kernels && code == STANDIN_OK; part++) {
		struct run *r = calloc(1, sizeof *r);

		if (!r)
			return standin_fail(ACLNN_RUNTIME_ERROR, "no host memory");
		r->op = x->op;
		r->operands = x->operands;
		r->part = part;
		code = standin_launch_operator(x->op->name, recorded, run, release, r, s);
	}
	return code;
}

static int check_launch(const char *name, void *workspace, uint64_t workspace_bytes,
			const struct aclOpExecutor *x, const struct standin_stream *s)
{
	if (!x)
		return standin_fail(ACLNN_NULLPTR, "aclnn%s: no executor", name);
	if (!standin_is(STANDIN_EXECUTOR, x)) {
		standin_log("error: aclnn%s: an executor is used that was freed", name);
		return standin_fail(ACLNN_INNER_NULLPTR, "aclnn%s: the executor was freed", name);
	}
	if (x->op != standin_operator_find(name))
		return standin_fail(ACLNN_INVALID, "aclnn%s: an executor of aclnn%s", name,
				    x->op->name);
	if (workspace_bytes < x->workspace_bytes ||
	    (x->workspace_bytes && standin_memory_room(workspace) < x->workspace_bytes))
		return standin_fail(ACLNN_INVALID, "aclnn%s: a workspace of %llu bytes", name,
				    (unsigned long long)workspace_bytes);
	return standin_stream_check(s) ? ACLNN_RUNTIME_ERROR : STANDIN_OK;
}

int standin_operator_launch(const char *name, void *workspace, uint64_t workspace_bytes,
			    struct aclOpExecutor *x, struct standin_stream *s)
{
	int code = check_launch(name, workspace, workspace_bytes, x, s);

	if (code)
		return code;
	code = queue(x, s);
	if (!x->repeatable)
		standin_free(x);
	return code;
}
