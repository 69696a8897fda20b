#include "tuner/workload/limits/tile_bound.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/buf.h"

double tile_product_value(tile_product p, const int64_t *sizes)
{
	double value = 1;

	for (size_t i = 0; i < TILE_MAX_SIZES; i++)
		if (p >> i & 1)
			value *= (double)sizes[i];
	return value;
}

static double sum_bytes(const struct bound_sum *s, const int64_t *sizes)
{
	double bytes = 0;

	for (size_t i = 0; i < s->n; i++)
		bytes += s->bytes[i] * tile_product_value(s->products[i], sizes);
	return bytes;
}

double tile_bound_bytes(const struct tile_bound *b, const int64_t *sizes)
{
	double most = 0;

	for (size_t i = 0; i < b->n_exceptions; i++)
		if (memcmp(b->exceptions[i], sizes, sizeof b->exceptions[i]) == 0)
			return INFINITY;
	for (size_t i = 0; i < b->n; i++)
		most = fmax(most, sum_bytes(&b->sums[i], sizes));
	return most;
}

/* ---- linear programs ---- */

enum {
	MAX_COLUMNS =
		TILE_MAX_TERMS + TILE_MAX_POINTS, /* bytes of terms, and one for each refused */
	MAX_ROWS = 2 * TILE_MAX_POINTS + TILE_MAX_SIZES
};

/* Above rounding of doubles over the few dozen steps of a simplex, below any step of a bound. */
static const double EPSILON = 1e-9;

/* Maximise objective . x where rows . x <= limits and x >= 0; no limit is negative, so that x = 0
 * is a start. */
struct program {
	size_t n_rows, n_columns;
	double rows[MAX_ROWS][MAX_COLUMNS], limits[MAX_ROWS], objective[MAX_COLUMNS];
	size_t basis[MAX_ROWS], free[MAX_COLUMNS]; /* variable of each row, of each column */
	double value;
};

static void program_start(struct program *p, size_t n_columns)
{
	p->n_rows = 0;
	p->n_columns = n_columns;
	memset(p->objective, 0, sizeof p->objective);
}

/* Adds a row of zeros and its limit; returns the row. */
static double *program_add(struct program *p, double limit)
{
	assert(p->n_rows < MAX_ROWS && limit >= 0);
	double *row = p->rows[p->n_rows];

	memset(row, 0, sizeof p->rows[0]);
	p->limits[p->n_rows++] = limit;
	return row;
}

static void program_pivot(struct program *p, size_t r, size_t c)
{
	const double pivot = p->rows[r][c];
	const size_t swapped = p->basis[r];

	p->basis[r] = p->free[c];
	p->free[c] = swapped;
	p->rows[r][c] = 1;
	for (size_t k = 0; k < p->n_columns; k++)
		p->rows[r][k] /= pivot;
	p->limits[r] /= pivot;
	for (size_t i = 0; i < p->n_rows; i++) {
		const double factor = i == r ? 0 : p->rows[i][c];
		if (factor == 0)
			continue;
		p->rows[i][c] = 0;
		for (size_t k = 0; k < p->n_columns; k++)
			p->rows[i][k] -= factor * p->rows[r][k];
		p->limits[i] = fmax(0, p->limits[i] - factor * p->limits[r]);
	}
	const double gain = p->objective[c];
	p->objective[c] = 0;
	for (size_t k = 0; k < p->n_columns; k++)
		p->objective[k] -= gain * p->rows[r][k];
	p->value += gain * p->limits[r];
}

/* The simplex method with Bland's rule, which ends: the first variable that gains enters, and of
 * the rows that bind it the one of the first variable leaves. Returns the maximum, INFINITY without
 * one, and the values of the first `n` variables in `x`. */
static double program_solve(struct program *p, double *x, size_t n)
{
	p->value = 0;
	for (size_t k = 0; k < n; k++)
		x[k] = 0;
	for (size_t k = 0; k < p->n_columns; k++)
		p->free[k] = k;
	for (size_t i = 0; i < p->n_rows; i++)
		p->basis[i] = p->n_columns + i;
	for (;;) {
		size_t c = p->n_columns, r = p->n_rows;
		for (size_t k = 0; k < p->n_columns; k++)
			if (p->objective[k] > EPSILON &&
			    (c == p->n_columns || p->free[k] < p->free[c]))
				c = k;
		if (c == p->n_columns)
			break;
		double best = INFINITY;
		for (size_t i = 0; i < p->n_rows; i++) {
			if (p->rows[i][c] <= EPSILON)
				continue;
			const double ratio = p->limits[i] / p->rows[i][c];
			if (ratio < best - EPSILON || (ratio < best + EPSILON && r < p->n_rows &&
						       p->basis[i] < p->basis[r])) {
				best = fmin(best, ratio);
				r = i;
			}
		}
		if (r == p->n_rows)
			return INFINITY;
		program_pivot(p, r, c);
	}
	for (size_t i = 0; i < p->n_rows; i++)
		if (p->basis[i] < n)
			x[p->basis[i]] = p->limits[i];
	return p->value;
}

/* ---- what separates the points ---- */

/* Products that a sum may have, as indexes into the list of products. */
struct choice {
	size_t n;
	size_t at[TILE_MAX_TERMS];
};

static struct choice all_products(const struct tile_points *p)
{
	struct choice all = {.n = p->n_products};

	for (size_t i = 0; i < all.n; i++)
		all.at[i] = i;
	return all;
}

/* Sets a row to the part of the capacity that a byte of each product takes, times `sign`. */
static void set_parts(const struct tile_points *p, const struct choice *c, const int64_t *sizes,
		      double sign, double *row)
{
	for (size_t i = 0; i < c->n; i++)
		row[i] = sign * tile_product_value(p->products[c->at[i]], sizes) / p->capacity;
}

/* Adds what holds of any bound: what fits takes no more than there is, and terms of one factor have
 * no more bytes than such have. Where nothing fits, half of the smallest point is taken to: a bound
 * has to begin somewhere. */
static void add_limits(struct program *lp, const struct tile_points *p, const struct choice *c)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].fits)
			set_parts(p, c, p->list[i].sizes, 1, program_add(lp, 1));
	if (lp->n_rows == 0 && p->n > 0) {
		tile_product all = 0;
		size_t least = 0;
		for (size_t i = 0; i < p->n_products; i++)
			all |= p->products[i];
		for (size_t i = 1; i < p->n; i++)
			if (tile_product_value(all, p->list[i].sizes) <
			    tile_product_value(all, p->list[least].sizes))
				least = i;
		set_parts(p, c, p->list[least].sizes, 0.5, program_add(lp, 1));
	}
	for (size_t i = 0; i < c->n && p->most_bytes > 0; i++)
		if (__builtin_popcount(p->products[c->at[i]]) == 1)
			program_add(lp, p->most_bytes)[i] = 1;
}

/* Widest gap between the points that fit, the highest of which takes all of the capacity, and those
 * of `wanted` that do not: the lowest of these takes so much of it. At most 1: nothing separates
 * them. `also` is another point that fits, or NULL. INFINITY: nothing is wanted. */
static double widest_gap(const struct tile_points *p, const struct choice *c, const bool *wanted,
			 const int64_t *also, double *bytes)
{
	static _Thread_local struct program lp;
	size_t n_wanted = 0;

	program_start(&lp, c->n + 1);
	add_limits(&lp, p, c);
	if (also)
		set_parts(p, c, also, 1, program_add(&lp, 1));
	for (size_t i = 0; i < p->n; i++)
		if (wanted[i]) {
			double *row = program_add(&lp, 0);
			set_parts(p, c, p->list[i].sizes, -1, row);
			row[c->n] = 1;
			n_wanted++;
		}
	if (n_wanted == 0)
		return INFINITY;
	lp.objective[c->n] = 1;
	return program_solve(&lp, bytes, c->n);
}

/* Marks which of the `wanted` points lie above the capacity for the bytes that bring most of these
 * points nearest to it or above; returns their number. */
static size_t cover(const struct tile_points *p, const struct choice *c, const bool *wanted,
		    bool *covered)
{
	static _Thread_local struct program lp;
	static const double enough = 1 + 1e-4; /* a point above by more counts no more */
	double bytes[TILE_MAX_TERMS];
	size_t column = c->n, n = 0;

	for (size_t i = 0; i < p->n; i++)
		column += wanted[i];
	program_start(&lp, column);
	add_limits(&lp, p, c);
	column = c->n;
	for (size_t i = 0; i < p->n; i++)
		if (wanted[i]) {
			double *row = program_add(&lp, 0);
			set_parts(p, c, p->list[i].sizes, -1, row);
			row[column] = 1;
			program_add(&lp, enough)[column] = 1;
			lp.objective[column++] = 1;
		}
	(void)program_solve(&lp, bytes, c->n);
	for (size_t i = 0; i < p->n; i++) {
		double part = 0, parts[TILE_MAX_TERMS];
		set_parts(p, c, p->list[i].sizes, 1, parts);
		for (size_t k = 0; k < c->n; k++)
			part += bytes[k] * parts[k];
		covered[i] = wanted[i] && part > 1 + 1e-6;
		n += covered[i];
	}
	return n;
}

bool tile_bound_implies_fit(const struct tile_points *p, const int64_t *sizes)
{
	static _Thread_local struct program lp;
	const struct choice all = all_products(p);
	double bytes[TILE_MAX_TERMS];

	program_start(&lp, all.n);
	add_limits(&lp, p, &all);
	set_parts(p, &all, sizes, 1, lp.objective);
	return program_solve(&lp, bytes, all.n) <= 1 + EPSILON;
}

bool tile_bound_implies_refusal(const struct tile_points *p, const int64_t *sizes)
{
	const struct choice all = all_products(p);
	bool refused[TILE_MAX_POINTS];
	double bytes[TILE_MAX_TERMS];

	for (size_t i = 0; i < p->n; i++)
		refused[i] = !p->list[i].fits;
	const double without = widest_gap(p, &all, refused, NULL, bytes);
	return without > 1 + EPSILON && isfinite(without) &&
	       widest_gap(p, &all, refused, sizes, bytes) <= 1 + EPSILON;
}

/* ---- fitting ---- */

/* Whether a sum keeps what fits, leaves out the wanted points, and needs at most `most` bytes for
 * the lowest of these. */
static bool separates(const struct tile_points *p, const struct bound_sum *s, const bool *wanted,
		      double most)
{
	double lowest = INFINITY;

	for (size_t i = 0; i < p->n; i++) {
		const double bytes = sum_bytes(s, p->list[i].sizes);
		if (p->list[i].fits ? bytes > p->capacity : wanted[i] && bytes <= p->capacity)
			return false;
		if (wanted[i])
			lowest = fmin(lowest, bytes);
	}
	return s->n > 0 && lowest <= most;
}

/* Sums of some products that separate the wanted points from those that fit. */
struct opening {
	struct choice choice;
	double bytes[TILE_MAX_TERMS]; /* of the highest: a point that fits takes all there is */
	double gap; /* what the lowest wanted point takes of the capacity by these */
};

/* A sum with these bytes times `scale`, each rounded down to a step, or up where its bit is set. */
static struct bound_sum rounded(const struct tile_points *p, const struct opening *o, double scale,
				double step, unsigned up)
{
	struct bound_sum s = {0};

	for (size_t i = 0; i < o->choice.n; i++) {
		const double b = (floor(o->bytes[i] * scale / step) + (up >> i & 1)) * step;
		if (b > 0) {
			s.products[s.n] = p->products[o->choice.at[i]];
			s.bytes[s.n++] = b;
		}
	}
	return s;
}

/* Finds bytes that are multiples of `step` and separate, as low as possible, from the lower `part`
 * of the gap: 1 is all of it. */
static bool round_to(const struct tile_points *p, const struct opening *o, const bool *wanted,
		     double step, double part, struct bound_sum *out)
{
	enum { SCALES = 8 };

	for (int k = 0; k <= SCALES; k++)
		for (unsigned up = 0; up < 1u << o->choice.n; up++) {
			*out = rounded(p, o, pow(o->gap, part * k / SCALES - 1), step, up);
			if (separates(p, out, wanted, p->capacity * pow(o->gap, part)))
				return true;
		}
	return false;
}

/* Rounds a sum to the roundest figures that separate. The need lies anywhere in a wide gap, and a
 * bound above the need loses what fits, so they come from its lower quarter; in a narrow one a
 * round figure is more likely than an odd one. */
static bool round_sum(const struct tile_points *p, const struct opening *o, const bool *wanted,
		      struct bound_sum *out)
{
	/* Powers of two: steps of the figures, and the least that still counts as round. */
	enum { COARSEST = 2, ROUND = -1, FINEST = -10 };
	const double narrow = 1.06;

	for (int k = COARSEST; k >= FINEST; k--) {
		const double step = ldexp(1, k);
		if (round_to(p, o, wanted, step, 0.25, out) ||
		    (o->gap <= narrow && k >= ROUND && round_to(p, o, wanted, step, 1, out)))
			return true;
	}
	return false;
}

/* Takes the next choice of n out of `of`, in order; false after the last. */
static bool choice_next(struct choice *c, size_t of)
{
	for (size_t i = c->n; i-- > 0;)
		if (c->at[i] + (c->n - i) < of) {
			c->at[i]++;
			for (size_t k = i + 1; k < c->n; k++)
				c->at[k] = c->at[k - 1] + 1;
			return true;
		}
	return false;
}

/* How much the gap of a choice counts, as a power. Tiles have two axes: as one of several terms, a
 * vector or a tile of three has to open twice the gap of one of two. */
static double weight(const struct tile_points *p, const struct choice *c)
{
	double w = 1;

	for (size_t i = 0; i < c->n && c->n > 1; i++)
		if (__builtin_popcount(p->products[c->at[i]]) != 2)
			w /= 2;
	return w;
}

/* Finds the sum that leaves out most of the wanted points, with the fewest terms and then with the
 * widest gap; marks in `covered` what it leaves out. Returns their number. */
static size_t find_sum(const struct tile_points *p, const bool *wanted, struct bound_sum *out,
		       bool *covered)
{
	size_t most = 0, all = 0;

	for (size_t i = 0; i < p->n; i++)
		all += wanted[i];
	for (size_t n = 1; n <= BOUND_MAX_TERMS && n <= p->n_products && most < all; n++) {
		const size_t before = most; /* another term has to pay */
		struct opening o = {.choice = all_products(p)};
		double widest = 0;
		o.choice.n = n;
		do {
			bool now[TILE_MAX_POINTS];
			struct bound_sum s;
			const size_t reached = cover(p, &o.choice, wanted, now);
			if (reached <= before || reached < most)
				continue;
			o.gap = widest_gap(p, &o.choice, now, NULL, o.bytes);
			const double width = pow(o.gap, weight(p, &o.choice));
			if (o.gap <= 1 + EPSILON || (reached == most && width <= widest) ||
			    !round_sum(p, &o, now, &s))
				continue;
			most = reached;
			widest = width;
			*out = s;
			memcpy(covered, now, sizeof now);
		} while (choice_next(&o.choice, p->n_products));
	}
	return most;
}

void tile_bound_fit(const struct tile_points *p, struct tile_bound *out)
{
	/* Fewer than these beyond the first sum are exceptions of the planner, of which a sum of
	 * their own would say too much about their neighbours. */
	enum { LEAST = 2 };
	bool wanted[TILE_MAX_POINTS], covered[TILE_MAX_POINTS];

	assert(p->n <= TILE_MAX_POINTS && p->n_products <= TILE_MAX_TERMS);
	*out = (struct tile_bound){0};
	for (size_t i = 0; i < p->n; i++)
		wanted[i] = !p->list[i].fits;
	while (out->n < BOUND_MAX_SUMS) {
		struct bound_sum s;
		const size_t n = find_sum(p, wanted, &s, covered);
		if (n == 0 || (out->n > 0 && n < LEAST))
			break;
		out->sums[out->n++] = s;
		for (size_t i = 0; i < p->n; i++)
			wanted[i] = wanted[i] && !covered[i];
	}
}

/* ---- text ---- */

static void print_sum(const struct bound_sum *s, const char *const *names, struct buf *out)
{
	for (size_t i = 0; i < s->n; i++) {
		buf_print(out, "%s%.10g", i ? " + " : "", s->bytes[i]);
		for (size_t k = 0; k < TILE_MAX_SIZES; k++)
			if (s->products[i] >> k & 1)
				buf_print(out, " * %s", names[k]);
	}
}

static void print_exceptions(const struct tile_bound *b, const char *const *names, size_t n_sizes,
			     const char *too_much, struct buf *out)
{
	buf_print(out, "%s * (", too_much);
	for (size_t i = 0; i < b->n_exceptions; i++)
		for (size_t k = 0; k < n_sizes; k++)
			buf_print(out, "%s%s == %lld",
				  k   ? " and "
				  : i ? " or "
				      : "",
				  names[k], (long long)b->exceptions[i][k]);
	buf_add_char(out, ')');
}

void tile_bound_print(const struct tile_bound *b, const char *const *names, size_t n_sizes,
		      const char *too_much, struct buf *out)
{
	const size_t parts = b->n + (b->n_exceptions > 0);

	buf_add_str(out, parts == 0 ? "0" : parts > 1 ? "max(" : "");
	for (size_t i = 0; i < b->n; i++) {
		buf_add_str(out, i ? ", " : "");
		print_sum(&b->sums[i], names, out);
	}
	if (b->n_exceptions) {
		buf_add_str(out, b->n ? ", " : "");
		print_exceptions(b, names, n_sizes, too_much, out);
	}
	buf_add_str(out, parts > 1 ? ")" : "");
}
