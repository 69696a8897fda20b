#include "tuner/worker/own_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/tensor_file.h"
#include "tuner/worker/launch.h"
#include "tuner/worker/poison.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"
#include "tuner/workload/binding/binding_files.h"

/* Bytes that outputs hold before the two launches. Any two that differ in each byte would do: an
 * element that keeps both is left alone, one that is written has the same number twice. The first
 * is what outputs hold before a configuration is verified. */
enum { FIRST = POISON_BYTE, SECOND = 0x00 };

/* Doubles hold integers up to this one exactly. */
static const double MOST_EXACT = 0x1p53;

struct own { /* the configuration, while the reference is computed */
	struct worker_problem *problem;
	const struct own_reference_request *request;
	struct race race; /* without an incumbent, and silent */
	struct worker_config *config;
	struct result result;
	/* Outputs as the launches left them, one after another, so many bytes each. */
	unsigned char *first, *second;
	size_t bytes;
	double *numbers;            /* of the reference */
	struct binding_files files; /* with recorded outputs */
	bool is_recorded;           /* the set has any */
};

/* Difference of two launches in an output. */
struct difference {
	int64_t n;         /* elements */
	int64_t beyond;    /* of them, beyond the tolerance */
	int64_t first;     /* the first of these, else the first of all */
	double had, has;   /* its number in the first launch, and in the second */
	double largest;    /* of the finite differences */
	double of_allowed; /* largest part of what is allowed there */
};

static enum asc_status announce_nothing(void *user, uint64_t id, enum phase phase, size_t step,
					struct asc_err *e)
{
	(void)user;
	(void)id;
	(void)phase;
	(void)step;
	(void)e;
	return ASC_OK;
}

static enum asc_status fail(const struct own *o, const char *why, struct asc_err *e)
{
	const struct worker_config_request *own = o->request->config;
	char problem[128];

	worker_problem_print_set(o->problem, o->request->set, problem, sizeof problem);
	return asc_err_set(e, ASC_INPUT,
			   "%s: problem %s cannot be verified: the program's own configuration "
			   "(%s%s%s) %s",
			   o->problem->workload->path, problem, own->implementation,
			   *own->config ? " " : "", own->config, why);
}

static enum asc_status note(const struct own *o, const char *what, struct asc_err *e)
{
	char problem[128], text[640];

	worker_problem_print_set(o->problem, o->request->set, problem, sizeof problem);
	(void)snprintf(text, sizeof text, "%s: the program's own configuration %s", problem, what);
	return o->request->note(o->request->user, text, e);
}

static enum asc_status fail_result(const struct own *o, struct asc_err *e)
{
	char why[640];

	(void)snprintf(why, sizeof why, "fails: %s", result_reason(&o->result));
	return fail(o, why, e);
}

/* ---- launches ---- */

/* Launches once with `content` in each byte of outputs and scratch memory, and reads the outputs
 * to `out`. */
static enum asc_status launch_on(struct own *o, int content, unsigned char *out, struct asc_err *e)
{
	struct worker_problem *p = o->problem;
	struct measurement m = {.race = &o->race, .config = o->config, .result = &o->result};

	if (worker_config_fill(o->config, content, e) || launch_untimed(&m, 1, e) ||
	    (o->result.status == RESULT_OK && launch_collect(&m, e)))
		return e->status;
	if (o->result.status != RESULT_OK || !launch_check_bounds(&m, PHASE_VERIFY))
		return fail_result(o, e);
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const size_t bytes = (size_t)p->binding.tensors[i].bytes;

		if (!reference_has(&p->binding, i))
			continue;
		if (worker_problem_read(p, i, e))
			return e->status;
		memcpy(out, p->staging, bytes);
		out += bytes;
	}
	return ASC_OK;
}

/* ---- what they left ---- */

static bool is_all(const unsigned char *element, size_t bytes, int content)
{
	for (size_t i = 0; i < bytes; i++)
		if (element[i] != content)
			return false;
	return true;
}

static void note_difference(struct difference *d, const struct tensor *stated,
			    const struct bound_tensor *t, int64_t at, double had, double has)
{
	const double error = fabs(has - had);
	const double allowed =
		stated->verify.kind == VERIFY_EXACT ? 0 : t->atol + t->rtol * fabs(had);
	/* Written so that a NaN on one side is beyond it. Distributions are drawn anew. */
	const bool beyond = stated->verify.kind != VERIFY_DISTRIBUTION &&
			    !(isnan(had) && isnan(has)) && !(error <= allowed);

	if (d->n++ == 0 || (beyond && d->beyond == 0)) {
		d->first = at;
		d->had = had;
		d->has = has;
	}
	d->beyond += beyond;
	if (!isfinite(error))
		return;
	d->largest = fmax(d->largest, error);
	if (allowed > 0)
		d->of_allowed = fmax(d->of_allowed, error / allowed);
}

/* Makes the reference of output i of what two launches left in it: `first` and `second`. */
static enum asc_status take_output(const struct own *o, size_t i, const unsigned char *first,
				   const unsigned char *second, double *out, struct difference *d,
				   struct asc_err *e)
{
	const struct tensor *stated = &o->problem->workload->tensors[i];
	const struct bound_tensor *t = &o->problem->binding.tensors[i];
	const size_t bytes = dtype_bytes(t->dtype);
	const bool is_wide = !dtype_is_float(t->dtype) && bytes == sizeof(double);
	char why[200];

	dtype_to_double(t->dtype, first, out, (size_t)t->count);
	for (int64_t k = 0; k < t->count; k++, first += bytes, second += bytes) {
		double again;

		if (is_wide && fabs(out[k]) > MOST_EXACT && !is_all(first, bytes, FIRST)) {
			(void)snprintf(why, sizeof why,
				       "leaves an integer in %s that is beyond 2^53, which no "
				       "reference holds",
				       stated->name);
			return fail(o, why, e);
		}
		/* One NaN for all of them: the mark is one, too. */
		if (isnan(out[k]))
			out[k] = NAN;
		if (memcmp(first, second, bytes) == 0)
			continue;
		if (stated->role == ROLE_OUT && is_all(first, bytes, FIRST) &&
		    is_all(second, bytes, SECOND)) {
			out[k] = reference_left();
			continue;
		}
		dtype_to_double(t->dtype, second, &again, 1);
		note_difference(d, stated, t, k, out[k], again);
	}
	return ASC_OK;
}

static void print_number(double x, char *text, size_t size)
{
	if (isnan(x))
		(void)snprintf(text, size, "NaN");
	else
		(void)snprintf(text, size, "%.9g", x);
}

/* Tells whether a launch that finds what the first one found does what that did: then outputs are
 * read, and the difference is no chance. */
static enum asc_status fail_difference(struct own *o, size_t i, const struct difference *d,
				       size_t offset, struct asc_err *e)
{
	const struct tensor *t = &o->problem->workload->tensors[i];
	const struct bound_tensor *bound = &o->problem->binding.tensors[i];
	char had[32], has[32], why[400];

	if (launch_on(o, FIRST, o->second, e))
		return e->status;
	const bool is_same =
		memcmp(o->first + offset, o->second + offset, (size_t)bound->bytes) == 0;

	print_number(d->had, had, sizeof had);
	print_number(d->has, has, sizeof has);
	(void)snprintf(why, sizeof why,
		       "%s: element %lld of %s is %s in one launch and %s in another, %lld of %lld "
		       "differ beyond the tolerance",
		       is_same ? "reads an output, whose role is then \"inout\""
			       : "computes other numbers in each launch",
		       (long long)d->first, t->name, had, has, (long long)d->beyond,
		       (long long)bound->count);
	return fail(o, why, e);
}

/* Notes a difference within the tolerance: atomics add in any order. */
static enum asc_status note_within(const struct own *o, size_t i, const struct difference *d,
				   const char *what, struct asc_err *e)
{
	const struct worker_problem *p = o->problem;
	char text[400];

	(void)snprintf(text, sizeof text,
		       "does not compute %s: %lld of %lld elements of %s differ, by %.3g at most, "
		       "%.2g of the tolerance",
		       what, (long long)d->n, (long long)p->binding.tensors[i].count,
		       p->workload->tensors[i].name, d->largest, d->of_allowed);
	return note(o, text, e);
}

/* ---- what was recorded ---- */

/* Finds whether the set has recorded outputs. */
static enum asc_status look_for_recorded(struct own *o, struct asc_err *e)
{
	const struct workload *w = o->problem->workload;
	const struct tensor_member *m;

	o->files.binding = &o->problem->binding;
	for (size_t i = 0; w->reference_kind == REFERENCE_FILES && i < w->n_tensors; i++) {
		if (binding_files_find(&o->files, o->request->set, i, CONTENT_AFTER, &m, e))
			return e->status;
		o->is_recorded |= m != NULL;
	}
	return ASC_OK;
}

/* Puts recorded numbers, of `type`, in the place of those that the first launch left, but for
 * elements that are left alone: these hold what they held in the program. Numbers in float64 are
 * somebody's own: what the configuration computes is compared with them as any other. */
static void put_recorded(const struct own *o, size_t i, enum dtype type, const char *recorded,
			 const char *first, double *out, struct difference *d)
{
	const struct tensor *stated = &o->problem->workload->tensors[i];
	const struct bound_tensor *t = &o->problem->binding.tensors[i];
	const size_t bytes = dtype_bytes(type);
	double number;

	for (int64_t k = 0; k < t->count; k++, recorded += bytes, first += dtype_bytes(t->dtype)) {
		if (reference_is_left(out[k]))
			continue;
		dtype_to_double(type, recorded, &number, 1);
		if (type == t->dtype && memcmp(recorded, first, bytes) != 0)
			note_difference(d, stated, t, k, number, out[k]);
		out[k] = isnan(number) ? NAN : number;
	}
}

/* Takes what was recorded of output i. An output that the program's launch left as it was has no
 * content of its own there: of one that is read that is the content before. */
static enum asc_status take_recorded(struct own *o, size_t i, const unsigned char *first,
				     double *out, struct difference *d, struct asc_err *e)
{
	const struct worker_problem *p = o->problem;
	const enum dtype type = p->binding.tensors[i].dtype;
	const struct tensor_member *m;

	if (!o->is_recorded)
		return ASC_OK;
	if (binding_files_find(&o->files, o->request->set, i, CONTENT_AFTER, &m, e))
		return e->status;
	if (!m) {
		if (p->inputs[i])
			put_recorded(o, i, type, p->inputs[i], (const char *)first, out, d);
		return ASC_OK;
	}
	char *recorded = malloc((size_t)m->bytes + 1);

	if (!recorded)
		return asc_err_nomem(e);
	enum asc_status s =
		binding_files_read(&o->files, o->request->set, i, CONTENT_AFTER, m, recorded, e);

	if (!s)
		put_recorded(o, i, m->dtype, recorded, (const char *)first, out, d);
	explicit_bzero(recorded, (size_t)m->bytes);
	free(recorded);
	return s;
}

/* Notes that the configuration does not compute what was recorded, to the bit; fails where that is
 * beyond the tolerance. */
static enum asc_status check_recorded(const struct own *o, size_t i, const struct difference *d,
				      struct asc_err *e)
{
	const struct worker_problem *p = o->problem;
	const char *name = p->workload->tensors[i].name;
	const long long all = p->binding.tensors[i].count;
	char had[32], has[32], text[512];

	if (d->beyond > 0) {
		print_number(d->had, had, sizeof had);
		print_number(d->has, has, sizeof has);
		(void)snprintf(
			text, sizeof text,
			"does not compute what was recorded: element %lld of %s is %s instead "
			"of %s, %lld of %lld differ beyond the tolerance",
			(long long)d->first, name, has, had, (long long)d->beyond, all);
		return fail(o, text, e);
	}
	return d->n > 0 ? note_within(o, i, d, "what was recorded to the bit", e) : ASC_OK;
}

/* ---- all together ---- */

/* The order, and why:
 *  1. The configuration is loaded as any other: the same builders, plans, scratch tensors.
 *  2. Two launches, the outputs full of different bytes before each. Bounds are looked at first: a
 *     stray write makes everything that is read doubtful.
 *  3. Each output's numbers are those of the first launch. What both launches left as it was is
 *     marked; other differences are chance, or an output that is read, and are held to the
 *     tolerance.
 *  4. Where outputs were recorded, their numbers count: a machine, a compiler or a library may be
 *     another one since, and by how much is said.
 *  5. The file is written.
 * The configuration is dropped then: its trial loads it again. */
static enum asc_status compute(struct own *o, const char *path, struct asc_err *e)
{
	struct worker_problem *p = o->problem;
	const struct binding *b = &p->binding;
	size_t at = 0;
	double *out;

	/* 1 */
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		o->bytes += reference_has(b, i) ? (size_t)b->tensors[i].bytes : 0;
	o->first = malloc(o->bytes + 1);
	o->second = malloc(o->bytes + 1);
	if (look_for_recorded(o, e))
		return e->status;
	out = o->numbers = malloc(reference_bytes(b) + sizeof(uint64_t));
	if (!o->first || !o->second || !o->numbers)
		return asc_err_nomem(e);
	if (worker_config_load(p, o->request->config, &o->race, &o->config, &o->result, e))
		return e->status;
	if (!o->config)
		return fail_result(o, e);

	/* 2 */
	if (launch_on(o, FIRST, o->first, e) || launch_on(o, SECOND, o->second, e))
		return e->status;

	/* 3 and 4 */
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		struct difference d = {0}, from_recorded = {0};

		if (!reference_has(b, i))
			continue;
		if (take_output(o, i, o->first + at, o->second + at, out, &d, e) ||
		    (d.beyond > 0 && fail_difference(o, i, &d, at, e)) ||
		    (d.n > 0 && note_within(o, i, &d, "the same twice", e)) ||
		    take_recorded(o, i, o->first + at, out, &from_recorded, e) ||
		    check_recorded(o, i, &from_recorded, e))
			return e->status;
		at += (size_t)b->tensors[i].bytes;
		out += b->tensors[i].count;
	}

	/* 5 */
	return reference_keep(path, b, o->numbers, NULL, 0, e);
}

enum asc_status own_reference_compute(struct worker_problem *p,
				      const struct own_reference_request *request, const char *path,
				      struct asc_err *e)
{
	struct own *o = calloc(1, sizeof *o);

	if (!o)
		return asc_err_nomem(e);
	o->problem = p;
	o->request = request;
	o->race.watch.phase = announce_nothing;
	result_init(&o->result);
	const enum asc_status s = compute(o, path, e);

	binding_files_close(&o->files);
	worker_config_free(o->config);
	result_fini(&o->result);
	/* Not for kernels that run here later. */
	if (o->numbers)
		explicit_bzero(o->numbers, reference_bytes(&p->binding));
	if (o->first)
		explicit_bzero(o->first, o->bytes);
	if (o->second)
		explicit_bzero(o->second, o->bytes);
	free(o->numbers);
	free(o->first);
	free(o->second);
	free(o);
	return s;
}
