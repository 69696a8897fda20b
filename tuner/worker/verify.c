#include "tuner/worker/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/device.h"
#include "tuner/worker/reference.h"
#include "tuner/workload/binding/binding.h"

/* ---- the two-sample Kolmogorov-Smirnov test: were two sets of numbers drawn from one
 * distribution? ---- */

struct ks {
	double distance;    /* largest difference of the two empirical distribution functions */
	double p;           /* probability of at least that distance by chance */
	int64_t not_finite; /* elements that are NaN or infinite on either side; with any of them
			       nothing else is computed */
};

double ks_tail(double lambda)
{
	double sum = 0;

	if (lambda < 0.2) /* the series is slow there; 1 - 1e-11 at 0.2 */
		return 1;
	for (int j = 1; j <= 100; j++) {
		double term = 2 * exp(-2.0 * j * j * lambda * lambda);
		sum += j % 2 ? term : -term;
		if (term < 1e-17) /* below the last bit of the sum */
			break;
	}
	return fmin(fmax(sum, 0), 1);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Distance of two sorted lists of n each. */
static double distance(const double *a, const double *b, size_t n)
{
	size_t i = 0, j = 0, farthest = 0;

	while (i < n && j < n) {
		double x = a[i] < b[j] ? a[i] : b[j];
		while (i < n && a[i] == x)
			i++;
		while (j < n && b[j] == x)
			j++;
		size_t apart = i > j ? i - j : j - i;
		if (apart > farthest)
			farthest = apart;
	}
	return (double)farthest / (double)n;
}

/* Compares n numbers of `dtype` with n doubles, but for those that are marked. lambda = (sqrt(N) +
 * 0.12 + 0.11 / sqrt(N)) * distance with N = n * n / (n + n): Stephens, "Use of the
 * Kolmogorov-Smirnov, Cramer-Von Mises and related statistics without extensive tables", J. Royal
 * Statistical Society B 32 (1970). */
static enum asc_status ks_test(enum dtype dtype, const void *out, const double *reference, size_t n,
			       struct ks *ks, struct asc_err *e)
{
	double *a = malloc((2 * n + 1) * sizeof *a);

	*ks = (struct ks){.p = 1};
	if (!a)
		return asc_err_nomem(e);
	double *b = a + n;
	size_t drawn = 0;

	dtype_to_double(dtype, out, a, n);
	for (size_t i = 0; i < n; i++) {
		if (reference_is_left(reference[i]))
			continue;
		ks->not_finite += !isfinite(a[i]) || !isfinite(reference[i]);
		a[drawn] = a[i];
		b[drawn++] = reference[i];
	}
	if (ks->not_finite == 0 && drawn > 0) {
		qsort(a, drawn, sizeof *a, compare);
		qsort(b, drawn, sizeof *b, compare);
		double root = sqrt((double)drawn / 2);
		ks->distance = distance(a, b, drawn);
		ks->p = ks_tail((root + 0.12 + 0.11 / root) * ks->distance);
	}
	explicit_bzero(a, 2 * n * sizeof *a);
	free(a);
	return ASC_OK;
}

/* ---- comparing ---- */

/* Numbers are wiped after use: from right ones on the stack the next kernel could copy its outputs.
 */
enum { CHUNK = 2048 /* elements converted at a time, which fit the first-level cache */ };

/* State of comparing one tensor. */
struct comparison {
	const struct tensor *tensor;
	const struct bound_tensor *shape;
	const char *before; /* as in verify_tensor() */
	double atol, rtol;
	double max_abs, max_rel, sum;
	int64_t bad, not_finite;
	int64_t first; /* first bad element; -1: none */
	double first_out, first_reference;
};

void verify_begin(struct verify_report *r)
{
	*r = (struct verify_report){0};
}

void verify_end(struct verify_report *r)
{
	r->norms.known = r->counted > 0;
	r->norms.mean_abs = r->counted > 0 ? r->sum / (double)r->counted : 0;
}

/* ---- element by element ---- */

/* Records an element that is bad, or not finite, or has the largest relative error so far.
 * Infinities of one sign are equal, and so are NaNs. */
static void compare_element(struct comparison *c, int64_t at, double out, double reference)
{
	double error = fabs(out - reference), magnitude = fabs(reference);

	if (out == reference || (isnan(out) && isnan(reference)))
		return;
	/* Written so that a NaN on either side is bad. */
	if (!(error <= c->atol + c->rtol * magnitude && error < INFINITY)) {
		if (c->bad++ == 0) {
			c->first = at;
			c->first_out = out;
			c->first_reference = reference;
		}
		c->not_finite += !isfinite(out) && isfinite(reference);
	}
	if (!isfinite(error))
		return;
	c->sum += error;
	c->max_abs = fmax(c->max_abs, error);
	if (error > c->max_rel * magnitude && magnitude > 0)
		c->max_rel = error / magnitude;
}

/* Vectors of two elements, which every processor of interest has; compilers do not form them from
 * plain C here, because sums must keep their order. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_mask __attribute__((vector_size(16)));

static pair pair_load(const double *from)
{
	pair p;

	memcpy(&p, from, sizeof p);
	return p;
}

static pair pair_abs(pair p)
{
	return (pair)((pair_mask)p & INT64_MAX);
}

static pair pair_max(pair a, pair b)
{
	pair_mask larger = a > b;

	return (pair)(((pair_mask)a & larger) | ((pair_mask)b & ~larger));
}

/* Sums up pairs, most of which are good and set no record; compares the others one by one. */
static void compare_chunk(struct comparison *c, int64_t at, const double *out,
			  const double *reference, size_t n)
{
	const pair atol = {c->atol, c->atol}, rtol = {c->rtol, c->rtol};
	const pair infinity = {INFINITY, INFINITY};
	pair sum = {0}, max = {0};
	size_t i = 0;

	for (; i + 2 <= n; i += 2) {
		pair r = pair_load(reference + i), magnitude = pair_abs(r);
		pair error = pair_abs(pair_load(out + i) - r);
		/* Good, finite, and no new largest relative error. A NaN compares false. */
		pair_mask plain = (error <= atol + rtol * magnitude) & (error < infinity) &
				  (error <= c->max_rel * magnitude);
		if (plain[0] & plain[1]) {
			sum += error;
			max = pair_max(error, max);
			continue;
		}
		compare_element(c, at + (int64_t)i, out[i], reference[i]);
		compare_element(c, at + (int64_t)i + 1, out[i + 1], reference[i + 1]);
	}
	if (i < n)
		compare_element(c, at + (int64_t)i, out[i], reference[i]);
	c->sum += sum[0] + sum[1];
	c->max_abs = fmax(c->max_abs, fmax(max[0], max[1]));
}

/* Finds what is expected of the n elements from `at` on: the reference's numbers, or these in
 * `place` with what marked elements held before. */
static const double *expected_of(const struct comparison *c, int64_t at, const double *reference,
				 size_t n, double *place)
{
	const size_t bytes = dtype_bytes(c->shape->dtype);

	if (!c->before)
		return reference + at;
	reference_expect(c->shape->dtype, reference + at, c->before + (size_t)at * bytes, n, place);
	return place;
}

static void compare_close(struct comparison *c, const char *out, const double *reference)
{
	double numbers[CHUNK], place[CHUNK];
	const enum dtype dtype = c->shape->dtype;

	for (int64_t at = 0; at < c->shape->count; at += CHUNK) {
		size_t n = c->shape->count - at < CHUNK ? (size_t)(c->shape->count - at) : CHUNK;
		dtype_to_double(dtype, out + (size_t)at * dtype_bytes(dtype), numbers, n);
		compare_chunk(c, at, numbers, expected_of(c, at, reference, n, place), n);
	}
	explicit_bzero(numbers, sizeof numbers);
	explicit_bzero(place, sizeof place);
}

/* Records an element of an exact comparison where it differs: `out` and `expected` in the tensor's
 * dtype. Bits are compared first: values of two NaNs never are equal, and 64-bit integers are more
 * than doubles hold. */
static void compare_one(struct comparison *c, int64_t at, const char *out, const char *expected)
{
	double have, want;

	if (memcmp(out, expected, dtype_bytes(c->shape->dtype)) == 0)
		return;
	dtype_to_double(c->shape->dtype, out, &have, 1);
	dtype_to_double(c->shape->dtype, expected, &want, 1);
	if (isnan(have) && isnan(want))
		return;
	if (c->bad++ == 0) {
		c->first = at;
		c->first_out = have;
		c->first_reference = want;
	}
	c->not_finite += !isfinite(have) && isfinite(want);
	double error = fabs(have - want);
	if (!isfinite(error))
		return;
	c->sum += error;
	c->max_abs = fmax(c->max_abs, error);
	if (want != 0)
		c->max_rel = fmax(c->max_rel, error / fabs(want));
}

static void compare_exact(struct comparison *c, const char *out, const double *reference)
{
	char expected[CHUNK * sizeof(double)];
	double place[CHUNK];
	const size_t bytes = dtype_bytes(c->shape->dtype);

	for (int64_t at = 0; at < c->shape->count; at += CHUNK) {
		size_t n = c->shape->count - at < CHUNK ? (size_t)(c->shape->count - at) : CHUNK;
		const char *have = out + (size_t)at * bytes;
		/* The reference rounded to the tensor's type is what a right kernel writes. */
		dtype_from_double(c->shape->dtype, expected_of(c, at, reference, n, place),
				  expected, n);
		if (memcmp(have, expected, n * bytes) == 0)
			continue;
		for (size_t i = 0; i < n; i++)
			compare_one(c, at + (int64_t)i, have + i * bytes, expected + i * bytes);
	}
	explicit_bzero(expected, sizeof expected);
	explicit_bzero(place, sizeof place);
}

int64_t verify_count_overwritten(const struct bound_tensor *shape, const void *out,
				 const double *reference, const void *before)
{
	const size_t bytes = dtype_bytes(shape->dtype);
	const char *have = out, *had = before;
	int64_t n = 0;

	for (int64_t i = 0; i < shape->count; i++)
		n += reference_is_left(reference[i]) &&
		     memcmp(have + (size_t)i * bytes, had + (size_t)i * bytes, bytes) != 0;
	return n;
}

/* ---- saying it ---- */

/* Prints the indices of an element, `[0,3,5]`, row by row as tensors are stored; nothing for the
 * element of a tensor without dimensions. */
static void print_index(const struct bound_tensor *t, int64_t at, char *text, size_t size)
{
	int64_t index[WORKLOAD_MAX_RANK];
	size_t used = 0;

	for (size_t i = t->rank; i-- > 0; at /= t->shape[i])
		index[i] = at % t->shape[i];
	for (size_t i = 0; i < t->rank && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%c%lld", i ? ',' : '[',
					 (long long)index[i]);
	(void)snprintf(text + used, used < size ? size - used : 0, "%s", t->rank ? "]" : "");
}

static void print_number(double x, int digits, char *text, size_t size)
{
	if (isnan(x))
		(void)snprintf(text, size, "NaN");
	else
		(void)snprintf(text, size, "%.*g", digits, x);
}

/* Prints both values of the first bad element. */
static void print_values(const struct comparison *c, char *text, size_t size)
{
	char out[32], reference[32];
	double allowed = c->atol + c->rtol * fabs(c->first_reference);

	print_number(c->first_out, 9, out, sizeof out);
	print_number(c->first_reference, 9, reference, sizeof reference);
	if (isnan(c->first_reference))
		(void)snprintf(text, size, "%s (the reference is NaN)", out);
	else if (c->tensor->verify.kind == VERIFY_ALLCLOSE && isfinite(c->first_reference))
		(void)snprintf(text, size, "%s instead of %s (allowed %.6g)", out, reference,
			       allowed);
	else
		(void)snprintf(text, size, "%s instead of %s", out, reference);
}

/* Prints what is known of all bad elements. What was never written has no error: where there are
 * such elements, neither the largest error nor the number of NaNs says anything. */
static void print_rest(const struct comparison *c, const struct verify_traces *traces, char *text,
		       size_t size)
{
	if (traces->unwritten > 0)
		(void)snprintf(text, size, "%lld of them never written",
			       (long long)traces->unwritten);
	else if (traces->overwritten > 0)
		(void)snprintf(text, size, "%lld of them to be left alone",
			       (long long)traces->overwritten);
	else if (c->not_finite > 0)
		(void)snprintf(text, size, "largest error %.6g, %lld not finite", c->max_abs,
			       (long long)c->not_finite);
	else
		(void)snprintf(text, size, "largest error %.6g", c->max_abs);
}

static void describe(struct verify_report *r, const struct comparison *c)
{
	struct verify_traces traces = {0};
	const long long bad = c->bad, all = c->shape->count;
	const char *name = c->tensor->name;
	char index[200], values[128], rest[80];

	if (r->find_traces)
		r->find_traces(r->user, c->tensor, &traces);
	print_index(c->shape, c->first, index, sizeof index);
	/* A kernel that has left all bad elements alone has its own sentence: their values are
	 * poison, and say nothing. So has one that has written what it had to leave alone. */
	if (traces.overwritten == bad) {
		print_number(c->first_out, 9, values, sizeof values);
		(void)snprintf(r->reason, sizeof r->reason,
			       "%s: %lld of %lld elements overwritten, the first %s%s with %s: the "
			       "program's own configuration leaves them alone%s",
			       name, bad, all, name, index, values,
			       bad < all ? "; the others are right" : "");
		return;
	}
	if (traces.unwritten == bad) {
		print_number(c->first_reference, 4, values, sizeof values);
		(void)snprintf(r->reason, sizeof r->reason,
			       "%s: %lld of %lld elements never written, the first %s%s (expected "
			       "%s)%s",
			       name, bad, all, name, index, values,
			       bad < all ? "; the others are right" : "");
		return;
	}
	print_values(c, values, sizeof values);
	print_rest(c, &traces, rest, sizeof rest);
	(void)snprintf(r->reason, sizeof r->reason,
		       "%s: %lld of %lld elements differ, the first %s%s: %s; %s", name, bad, all,
		       name, index, values, rest);
}

static void merge(struct verify_report *r, const struct comparison *c)
{
	r->norms.max_abs = fmax(r->norms.max_abs, c->max_abs);
	r->norms.max_rel = fmax(r->norms.max_rel, c->max_rel);
	r->norms.bad += c->bad;
	r->norms.not_finite += c->not_finite;
	r->sum += c->sum;
	r->counted += c->shape->count;
	if (c->bad > 0 && !r->wrong) /* the first wrong tensor gives the reason */
		describe(r, c);
	r->wrong |= c->bad > 0;
}

static enum asc_status compare_distribution(struct verify_report *r, const struct tensor *t,
					    const struct bound_tensor *shape, const void *out,
					    const double *reference, const void *before,
					    struct asc_err *e)
{
	const int64_t overwritten =
		before ? verify_count_overwritten(shape, out, reference, before) : 0;
	struct ks ks;
	enum asc_status s = ks_test(shape->dtype, out, reference, (size_t)shape->count, &ks, e);

	/* A right kernel fails once in 1 / p launches: workloads state a p that is small enough. */
	if (s || (ks.not_finite == 0 && ks.p >= t->verify.p && overwritten == 0))
		return s;
	r->norms.not_finite += ks.not_finite;
	if (!r->wrong && overwritten > 0)
		(void)snprintf(r->reason, sizeof r->reason,
			       "%s: %lld of %lld elements overwritten, which the program's own "
			       "configuration leaves alone",
			       t->name, (long long)overwritten, (long long)shape->count);
	else if (!r->wrong && ks.not_finite > 0)
		(void)snprintf(r->reason, sizeof r->reason,
			       "%s: %lld of %lld elements are not finite", t->name,
			       (long long)ks.not_finite, (long long)shape->count);
	else if (!r->wrong)
		(void)snprintf(r->reason, sizeof r->reason,
			       "%s: not the distribution of the reference: Kolmogorov-Smirnov "
			       "distance %.4g, p %.3g (at least %.3g expected)",
			       t->name, ks.distance, ks.p, t->verify.p);
	r->wrong = true;
	return ASC_OK;
}

enum asc_status verify_tensor(struct verify_report *r, const struct tensor *t,
			      const struct bound_tensor *shape, const void *out,
			      const double *reference, const void *before, struct asc_err *e)
{
	struct comparison c = {.tensor = t,
			       .shape = shape,
			       .before = before,
			       .atol = shape->atol,
			       .rtol = shape->rtol,
			       .first = -1};

	if (t->verify.kind == VERIFY_DISTRIBUTION)
		return compare_distribution(r, t, shape, out, reference, before, e);
	if (t->verify.kind == VERIFY_EXACT)
		compare_exact(&c, out, reference);
	else
		compare_close(&c, out, reference);
	merge(r, &c);
	return ASC_OK;
}

void verify_found(struct verify_report *r, const struct tensor *t, const struct bound_tensor *shape,
		  const struct device_difference *found)
{
	const struct comparison c = {.tensor = t,
				     .shape = shape,
				     .atol = shape->atol,
				     .rtol = shape->rtol,
				     .max_abs = found->max_abs,
				     .max_rel = found->max_rel,
				     .sum = found->sum_abs,
				     .bad = found->bad,
				     .not_finite = found->not_finite,
				     .first = found->first,
				     .first_out = found->first_out,
				     .first_reference = found->first_reference};

	merge(r, &c);
}
