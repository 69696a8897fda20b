#include "tuner/worker/inputs_hard.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/base/names.h"
#include "tuner/base/stats/rng.h"
#include "tuner/workload/binding/binding.h"

static const char *const names[] = {HARD_SET_LIST(NAME_OF_THREE)};
static const char *const texts[] = {HARD_SET_LIST(MEANING_OF_THREE)};

const char *hard_set_name(enum hard_set s)
{
	return names[s];
}

const char *hard_set_text(enum hard_set s)
{
	return texts[s];
}

bool hard_set_parse(const char *name, enum hard_set *out)
{
	size_t at;

	if (!name_find(names, HARD_COUNT, name, &at))
		return false;
	*out = (enum hard_set)at;
	return true;
}

bool hard_set_has(enum hard_set s, const struct binding *b, size_t tensor)
{
	const struct tensor *t = &b->workload->tensors[tensor];
	const enum tensor_domain domain = t->domain.kind;
	const bool drawn = t->fill.kind == FILL_NORMAL || t->fill.kind == FILL_UNIFORM;

	if (s == HARD_NONE || t->role == ROLE_OUT || !b->tensors[tensor].present ||
	    b->tensors[tensor].count == 0 || !dtype_is_float(b->tensors[tensor].dtype) ||
	    t->contents.node || (!drawn && domain == DOMAIN_FILL))
		return false;
	switch (s) {
	case HARD_RANGE: return domain != DOMAIN_FILL;
	case HARD_LIMITS: return domain == DOMAIN_FINITE || domain == DOMAIN_ANY;
	case HARD_SPECIAL: return domain == DOMAIN_ANY;
	default: return true;
	}
}

enum { VERSION = 3 /* of the numbers: references of other versions do not count */ };

void hard_set_print_key(enum hard_set s, const struct binding *b, char out[HARD_KEY_SIZE])
{
	const int version = VERSION;
	uint64_t key = hash_bytes(&version, sizeof version);

	*out = '\0';
	if (s == HARD_NONE)
		return;
	for (size_t i = 0; i < b->workload->n_tensors; i++) {
		const struct domain *d = &b->workload->tensors[i].domain;
		const double mixed[4] = {(double)(key >> 11), d->kind, d->low, d->high};

		key = hash_bytes(mixed, sizeof mixed);
	}
	(void)snprintf(out, HARD_KEY_SIZE, "-%s-%016" PRIx64, names[s], key);
}

enum { CHUNK = 1024 }; /* elements at a time, which fit the first-level cache */

struct range { /* of the numbers of a tensor */
	double low, high;
};

/* Finds the range of the numbers of a tensor, none of which is a NaN. */
static struct range find_range(enum dtype type, const char *content, size_t n)
{
	struct range r = {INFINITY, -INFINITY};
	double x[CHUNK];

	for (size_t at = 0; at < n; at += CHUNK) {
		const size_t some = n - at < CHUNK ? n - at : CHUNK;

		dtype_to_double(type, content + at * dtype_bytes(type), x, some);
		for (size_t i = 0; i < some; i++) {
			/* fmin() is a call of a library for each. */
			r.low = x[i] < r.low ? x[i] : r.low;
			r.high = x[i] > r.high ? x[i] : r.high;
		}
	}
	return r;
}

/* Range that the numbers of a hard set are of. Where every number is allowed it is one in which
 * sums stay finite. */
static struct range choose_range(const struct domain *d, enum dtype type, const char *content,
				 size_t n)
{
	if (d->kind == DOMAIN_RANGE)
		return (struct range){d->low, d->high};
	if (d->kind != DOMAIN_FILL)
		return (struct range){-4, 4};
	return find_range(type, content, n);
}

static bool holds(const struct range *r, double x)
{
	return r->low <= x && x <= r->high;
}

/* Value beside zeros, the end of the range: where every finite number is allowed, one whose
 * exponential is infinite. */
static double choose_single(const struct domain *d, const struct range *r, enum dtype type)
{
	if (d->kind == DOMAIN_FINITE || d->kind == DOMAIN_ANY)
		return fmin(1000, dtype_largest(type));
	return r->high >= -r->low ? r->high : r->low;
}

static void put(enum dtype type, char *content, size_t at, double x)
{
	dtype_from_double(type, &x, content + at * dtype_bytes(type), 1);
}

static void put_all(enum dtype type, char *content, size_t n, double x)
{
	const size_t all = n * dtype_bytes(type);

	if (n == 0)
		return;
	put(type, content, 0, x);
	/* Doubles what is there. */
	for (size_t done = dtype_bytes(type); done < all; done *= 2)
		memcpy(content + done, content, done < all - done ? done : all - done);
}

/* Puts each of the numbers in turn, one in `step` elements, from the second of the tensor on. */
static void scatter(enum dtype type, char *content, size_t n, size_t step, const double *list,
		    size_t n_list)
{
	size_t k = 0;

	for (size_t i = n > 1; i < n; i += step)
		put(type, content, i, list[k++ % n_list]);
}

/* Odd steps, so that rows of even lengths have numbers at different places. */
enum { LIMITS_STEP = 37, SPECIAL_STEP = 101 };

/* Leaves one number in a row of zeros: by turns in its last column, in the middle, first, and at
 * three quarters. */
static void put_single(enum dtype type, char *content, size_t n, size_t row, double x)
{
	const size_t at[] = {row - 1, row / 2, 0, row - row / 4 - 1};

	put_all(type, content, n, 0);
	for (size_t k = 0; k < n / row; k++)
		put(type, content, k * row + at[k % 4], x);
}

/* Puts NaN and infinities, at either end too. Of several rows each has one of them, the first ones
 * NaN in the last column, then an infinity in the first, and each fourth none: an infinity hides
 * what becomes of a NaN. */
static void put_special(enum dtype type, char *content, size_t n, size_t row)
{
	const double special[] = {NAN, INFINITY, -INFINITY};

	if (row < n) {
		for (size_t k = 0; k < n / row; k++)
			if (k % 4 < 3)
				put(type, content,
				    k * row + (k == 1 ? 0 : (k * LIMITS_STEP + row - 1) % row),
				    special[k % 4]);
	} else {
		scatter(type, content, n, SPECIAL_STEP, special, 3);
		put(type, content, 0, INFINITY);
		put(type, content, n - 1, NAN);
	}
}

void hard_set_make(enum hard_set s, const struct binding *b, size_t tensor, void *content)
{
	const struct bound_tensor *t = &b->tensors[tensor];
	const enum dtype type = t->dtype;
	const size_t n = (size_t)t->count;
	const size_t row = t->rank > 1 ? (size_t)t->shape[t->rank - 1] : n;

	if (!hard_set_has(s, b, tensor))
		return;
	const struct domain *domain = &b->workload->tensors[tensor].domain;
	const struct range r = choose_range(domain, type, content, n);
	struct rng rng;
	const double limits[] = {dtype_largest(type), -dtype_largest(type), -0.0};

	switch (s) {
	case HARD_ZEROS:
		if (holds(&r, 0))
			put_all(type, content, n, 0);
		break;
	case HARD_ONES:
		if (holds(&r, 1))
			put_all(type, content, n, 1);
		break;
	case HARD_ROWS:
		for (size_t at = row; row > 0 && at + row <= n; at += row)
			memcpy((char *)content + at * dtype_bytes(type), content,
			       row * dtype_bytes(type));
		break;
	case HARD_SINGLE:
		if (holds(&r, 0))
			put_single(type, content, n, row, choose_single(domain, &r, type));
		break;
	case HARD_RANGE:
		rng_init(&rng, tensor);
		for (size_t i = 0; i < n; i++)
			put(type, content, i, r.low + (r.high - r.low) * rng_uniform(&rng));
		break;
	case HARD_LIMITS: scatter(type, content, n, LIMITS_STEP, limits, 3); break;
	case HARD_SPECIAL: put_special(type, content, n, row); break;
	case HARD_NONE:
	case HARD_COUNT: break;
	}
}
