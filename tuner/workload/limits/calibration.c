/* Questions are spent in this order, and each is chosen anew from all verdicts so far:
 *
 * 1. Rows in the order of their volume are halved until one fits and one is refused.
 * 2. From there each size alone goes to its other end, so that each has a part in some verdict.
 * 3. Rows that no sum of products decides yet are asked, those first that decide most others.
 * 4. A size between its values is halved, where one value fits and the next is refused: a gap of
 *    two becomes one of some percent, and the bound as sharp.
 * 5. The rest are checks: rows nearest to the bound, those first that it would leave out. A check
 *    that is foretold changes nothing and counts for the bound; another one changes it. */
#include "tuner/workload/limits/calibration.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Questions that step 4 may take where some percent are enough. */
enum { BETWEEN = 10 };

/* Bytes of a row or column at most: eight vectors of numbers, each padded to 32 bytes. */
static const double vector_bytes = 8 * 32;

enum row_state { OPEN, DECIDED, ASKED };

enum purpose { LOCATE, DECIDE, SHARPEN, CHECK };

struct answer {
	int64_t sizes[TILE_MAX_SIZES];
	bool is_row;
	enum calibration_answer answer;
	size_t space;
};

struct calibration {
	struct calibration_space space;
	size_t most;                     /* questions */
	int64_t (*rows)[TILE_MAX_SIZES]; /* by volume */
	enum row_state *states;
	struct answer answers[TILE_MAX_POINTS];
	size_t n_answers, n_between;
	tile_product products[TILE_MAX_TERMS];
	size_t n_products;
	struct tile_bound bounds[CALIBRATION_SPACES];
	/* The question that is out. */
	int64_t asked[TILE_MAX_SIZES];
	size_t asked_row;  /* n_rows: between the rows */
	size_t asked_size; /* SHARPEN: that is between two values */
	enum purpose purpose;
	size_t checked_fitting, checked_lost, checked_refused, checked_foreseen;
};

static _Thread_local size_t sorted_sizes; /* of the rows that qsort() compares */

static int compare_volumes(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	const tile_product all = (1u << sorted_sizes) - 1;
	const double vx = tile_product_value(all, x), vy = tile_product_value(all, y);

	if (vx != vy)
		return vx < vy ? -1 : 1;
	for (size_t i = 0; i < sorted_sizes; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

enum asc_status calibration_new(const struct calibration_space *s, size_t questions,
				struct calibration **out, struct asc_err *e)
{
	struct calibration *c = calloc(1, sizeof *c);

	assert(s->n_sizes <= TILE_MAX_SIZES && questions <= TILE_MAX_POINTS);
	if (c) {
		c->rows = malloc((s->n_rows + 1) * sizeof *c->rows);
		c->states = calloc(s->n_rows + 1, sizeof *c->states);
	}
	if (!c || !c->rows || !c->states) {
		calibration_free(c);
		return asc_err_nomem(e);
	}
	c->space = *s;
	c->most = questions;
	memcpy(c->rows, s->rows, s->n_rows * sizeof *c->rows);
	sorted_sizes = s->n_sizes;
	qsort(c->rows, s->n_rows, sizeof *c->rows, compare_volumes);
	for (tile_product p = 1; p < 1u << s->n_sizes; p++)
		if (__builtin_popcount(p) <= TILE_MAX_FACTORS && c->n_products < TILE_MAX_TERMS)
			c->products[c->n_products++] = p;
	*out = c;
	return ASC_OK;
}

void calibration_free(struct calibration *c)
{
	if (!c)
		return;
	free(c->rows);
	free(c->states);
	free(c);
}

/* ---- what is known ---- */

/* Gathers the points of one memory space; those that another space refused say nothing of it. */
static size_t points_of(const struct calibration *c, size_t space, struct tile_point *list)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_answers; i++) {
		const struct answer *a = &c->answers[i];
		if (a->answer == CALIBRATION_UNKNOWN ||
		    (a->answer == CALIBRATION_REFUSED && a->space != space))
			continue;
		memcpy(list[n].sizes, a->sizes, sizeof a->sizes);
		list[n++].fits = a->answer == CALIBRATION_FITS;
	}
	return n;
}

static struct tile_points points(const struct calibration *c, size_t space, struct tile_point *list)
{
	return (struct tile_points){.list = list,
				    .n = points_of(c, space, list),
				    .capacity = c->space.capacities[space],
				    .most_bytes = vector_bytes * c->space.fixed,
				    .products = c->products,
				    .n_products = c->n_products};
}

/* Sets the rows that a bound's sums say nothing against although the planner refuses them. Where
 * they are many, the planner has a rule that sums do not have, and naming them would be a table. */
static void set_exceptions(const struct calibration *c, size_t space, struct tile_bound *b)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_answers; i++) {
		const struct answer *a = &c->answers[i];
		if (!a->is_row || a->answer != CALIBRATION_REFUSED || a->space != space ||
		    tile_bound_bytes(b, a->sizes) > c->space.capacities[space])
			continue;
		if (n < BOUND_MAX_EXCEPTIONS)
			memcpy(b->exceptions[n], a->sizes, sizeof a->sizes);
		n++;
	}
	b->n_exceptions = n <= BOUND_MAX_EXCEPTIONS ? n : 0;
}

static void fit_bounds(struct calibration *c)
{
	struct tile_point list[TILE_MAX_POINTS];

	for (size_t s = 0; s < CALIBRATION_SPACES; s++) {
		const struct tile_points p = points(c, s, list);
		tile_bound_fit(&p, &c->bounds[s]);
		set_exceptions(c, s, &c->bounds[s]);
	}
}

/* How much of a memory space the bounds say a configuration takes at least; above 1: refused. */
static double part_taken(const struct calibration *c, const int64_t *sizes)
{
	double most = 0;

	for (size_t s = 0; s < CALIBRATION_SPACES; s++)
		if (c->space.capacities[s] > 0)
			most = fmax(most, tile_bound_bytes(&c->bounds[s], sizes) /
						  c->space.capacities[s]);
	return most;
}

/* Whether sums of products can judge a configuration in one way only. */
static bool is_decided(const struct calibration *c, const int64_t *sizes)
{
	bool decided = false;

	for (size_t s = 0; s < CALIBRATION_SPACES && !decided; s++) {
		struct tile_point list[TILE_MAX_POINTS];
		const struct tile_points p = points(c, s, list);
		/* Sizes that fit do so in every space: one of them tells of all. */
		decided = (s == 0 && tile_bound_implies_fit(&p, sizes)) ||
			  tile_bound_implies_refusal(&p, sizes);
	}
	return decided;
}

static void decide_rows(struct calibration *c)
{
	for (size_t i = 0; i < c->space.n_rows; i++)
		if (c->states[i] == OPEN && is_decided(c, c->rows[i]))
			c->states[i] = DECIDED;
}

/* ---- the next question ---- */

static bool ask_row(struct calibration *c, size_t row, enum purpose purpose)
{
	memcpy(c->asked, c->rows[row], sizeof c->asked);
	c->asked_row = row;
	c->purpose = purpose;
	return true;
}

/* Step 1: halves the rows between the largest that fits and the smallest above it that is refused.
 */
static bool ask_to_locate(struct calibration *c)
{
	size_t n = c->space.n_rows, fitting = 0, refused = 0, low = 0, high = n;

	for (size_t i = 0; i < c->n_answers; i++) {
		const struct answer *a = &c->answers[i];
		size_t row = 0;
		while (row < n && memcmp(c->rows[row], a->sizes, sizeof a->sizes) != 0)
			row++;
		if (a->answer == CALIBRATION_FITS) {
			fitting++;
			low = row + 1 > low ? row + 1 : low;
		} else if (a->answer == CALIBRATION_REFUSED) {
			refused++;
			high = row < high ? row : high;
		}
	}
	if (fitting && refused)
		return false;
	for (size_t at = low + (high - low) / 2, k = 0; low < high && k < high - low; k++) {
		const size_t row = low + (at - low + k) % (high - low);
		if (c->states[row] != ASKED)
			return ask_row(c, row, LOCATE);
	}
	return false;
}

/* Finds the row that differs from `sizes` in size `k` alone and has its largest or smallest value;
 * n_rows: none. */
static size_t find_end(const struct calibration *c, const int64_t *sizes, size_t k, bool largest)
{
	size_t found = c->space.n_rows;

	for (size_t i = 0; i < c->space.n_rows; i++) {
		bool same = true;
		for (size_t j = 0; j < c->space.n_sizes; j++)
			same = same && (j == k || c->rows[i][j] == sizes[j]);
		const int64_t now = c->rows[i][k];
		if (same && (largest ? now > sizes[k] : now < sizes[k]) &&
		    (found == c->space.n_rows ||
		     (largest ? now > c->rows[found][k] : now < c->rows[found][k])))
			found = i;
	}
	return found;
}

/* The verdict of a kind that is nearest to the limit: the largest that fits, the smallest that is
 * refused. */
static const struct answer *find_nearest(const struct calibration *c, enum calibration_answer kind)
{
	const tile_product all = (1u << c->space.n_sizes) - 1;
	const struct answer *found = NULL;

	for (size_t i = 0; i < c->n_answers; i++) {
		const struct answer *a = &c->answers[i];
		if (a->answer != kind)
			continue;
		const double volume = tile_product_value(all, a->sizes);
		const double best = found ? tile_product_value(all, found->sizes) : 0;
		if (!found || (kind == CALIBRATION_FITS ? volume > best : volume < best))
			found = a;
	}
	return found;
}

static const struct answer *find_answer(const struct calibration *c, const int64_t *sizes)
{
	for (size_t i = 0; i < c->n_answers; i++)
		if (memcmp(c->answers[i].sizes, sizes, sizeof c->asked) == 0)
			return &c->answers[i];
	return NULL;
}

static size_t count_open_beside(const struct calibration *c, size_t row, bool below)
{
	size_t n = 0;

	for (size_t i = 0; i < c->space.n_rows; i++) {
		bool beside = c->states[i] == OPEN;
		for (size_t k = 0; k < c->space.n_sizes && beside; k++)
			beside = below ? c->rows[i][k] <= c->rows[row][k]
				       : c->rows[i][k] >= c->rows[row][k];
		n += beside;
	}
	return n;
}

/* Step 3: of the open rows, the one that decides most others whatever the verdict is. */
static bool ask_to_decide(struct calibration *c)
{
	size_t best = c->space.n_rows, most = 0;

	decide_rows(c);
	for (size_t i = 0; i < c->space.n_rows; i++) {
		if (c->states[i] != OPEN)
			continue;
		const size_t below = count_open_beside(c, i, true);
		const size_t above = count_open_beside(c, i, false);
		const size_t least = below < above ? below : above;
		if (least > most) {
			most = least;
			best = i;
		}
	}
	return best < c->space.n_rows && ask_row(c, best, DECIDE);
}

/* Step between two values of a size: blocks of a product and elements of 32 bytes have steps of 16;
 * beyond, some percent are enough. */
static int64_t step_between(const struct calibration *c, int64_t low, int64_t high)
{
	const int64_t step = high <= 16 ? 1 : high <= 1024 ? 16 : 64;
	const int64_t part = low / 64 / step * step;

	return c->space.step > 0 ? c->space.step : part > step ? part : step;
}

/* Step 4: halves the widest gap along one size between a point that fits and a refused one. */
static bool ask_between(struct calibration *c)
{
	double widest = 1;

	if (c->n_between >= BETWEEN && c->space.step == 0)
		return false;
	for (size_t i = 0; i < c->n_answers; i++)
		for (size_t j = 0; j < c->n_answers; j++) {
			const struct answer *f = &c->answers[i], *r = &c->answers[j];
			size_t differing = 0, at = 0;
			if (f->answer != CALIBRATION_FITS || r->answer != CALIBRATION_REFUSED)
				continue;
			for (size_t k = 0; k < c->space.n_sizes; k++)
				if (f->sizes[k] != r->sizes[k]) {
					differing++;
					at = k;
				}
			if (differing != 1 || f->sizes[at] > r->sizes[at] ||
			    !(c->space.between >> at & 1))
				continue;
			const int64_t step = step_between(c, f->sizes[at], r->sizes[at]);
			const int64_t middle = (f->sizes[at] + r->sizes[at]) / 2 / step * step;
			const double ratio = (double)r->sizes[at] / (double)f->sizes[at];
			if (middle <= f->sizes[at] || middle >= r->sizes[at] || ratio > 2.5)
				continue;
			int64_t sizes[TILE_MAX_SIZES];
			memcpy(sizes, f->sizes, sizeof sizes);
			sizes[at] = middle;
			if (ratio <= widest || find_answer(c, sizes) || is_decided(c, sizes))
				continue;
			widest = ratio;
			memcpy(c->asked, sizes, sizeof sizes);
			c->asked_row = c->space.n_rows;
			c->asked_size = at;
			c->purpose = SHARPEN;
		}
	return widest > 1;
}

/* Whether a verdict makes what the bound says of a configuration likely: one that fits and is
 * larger in every size, or one that is refused and is smaller. */
static bool is_backed(const struct calibration *c, const int64_t *sizes, bool refused)
{
	for (size_t i = 0; i < c->n_answers; i++) {
		const struct answer *a = &c->answers[i];
		bool backed = a->answer == (refused ? CALIBRATION_REFUSED : CALIBRATION_FITS);
		for (size_t k = 0; k < c->space.n_sizes && backed; k++)
			backed = refused ? a->sizes[k] <= sizes[k] : a->sizes[k] >= sizes[k];
		if (backed)
			return true;
	}
	return false;
}

/* Step 5: the row nearest to the bound. One that would be left out comes before one as near that
 * would not, for to lose it is worse; and what no verdict backs comes first. */
static bool ask_to_check(struct calibration *c)
{
	static const double kept = 1.5, backed = 2; /* so much farther such rows count */
	size_t best = c->space.n_rows;
	double nearest = INFINITY;

	for (size_t i = 0; i < c->space.n_rows; i++) {
		if (c->states[i] == ASKED)
			continue;
		const double distance = log(part_taken(c, c->rows[i]));
		const double far = (distance > 0 ? distance : -kept * distance) *
				   (is_backed(c, c->rows[i], distance > 0) ? backed : 1);
		if (far < nearest) {
			nearest = far;
			best = i;
		}
	}
	return best < c->space.n_rows && ask_row(c, best, CHECK);
}

/* Step 2: each size alone at its other end, where a row has it: what fits at its largest, what is
 * refused at its smallest. */
static bool ask_ends(struct calibration *c)
{
	const struct answer *f = find_nearest(c, CALIBRATION_FITS);
	const struct answer *r = find_nearest(c, CALIBRATION_REFUSED);

	if (!f || !r || c->space.n_sizes == 1)
		return false;
	for (size_t k = 0; k < c->space.n_sizes; k++) {
		const size_t ends[] = {find_end(c, f->sizes, k, true),
				       find_end(c, r->sizes, k, false)};
		for (size_t i = 0; i < 2; i++)
			if (ends[i] < c->space.n_rows && c->states[ends[i]] != ASKED)
				return ask_row(c, ends[i], LOCATE);
	}
	return false;
}

/* Whether no question has a verdict, which is not a matter of sizes: a type or an option that the
 * compiler does not know. */
static bool is_hopeless(const struct calibration *c)
{
	const size_t enough = 3;

	return c->n_answers >= enough && !find_nearest(c, CALIBRATION_FITS) &&
	       !find_nearest(c, CALIBRATION_REFUSED);
}

bool calibration_ask(struct calibration *c, int64_t sizes[TILE_MAX_SIZES])
{
	bool asks = false;

	if (c->n_answers < c->most && !is_hopeless(c)) {
		asks = ask_to_locate(c) || ask_ends(c);
		if (!asks && c->n_answers + c->space.checks < c->most)
			asks = ask_to_decide(c) || ask_between(c);
		asks = asks || ask_to_check(c);
	}
	if (asks)
		memcpy(sizes, c->asked, sizeof c->asked);
	return asks;
}

void calibration_tell(struct calibration *c, enum calibration_answer answer, size_t space)
{
	struct answer *a = &c->answers[c->n_answers];
	const bool foretold = part_taken(c, c->asked) > 1;

	assert(c->n_answers < TILE_MAX_POINTS && space < CALIBRATION_SPACES);
	memcpy(a->sizes, c->asked, sizeof a->sizes);
	a->answer = answer;
	a->space = space;
	a->is_row = c->asked_row < c->space.n_rows;
	c->n_answers++;
	if (c->asked_row < c->space.n_rows)
		c->states[c->asked_row] = ASKED;
	if (c->purpose == SHARPEN) {
		c->n_between++;
		/* A kernel that takes no value between its own is not asked for one again. */
		if (answer == CALIBRATION_UNKNOWN)
			c->space.between &= ~(1u << c->asked_size);
	}
	if (answer == CALIBRATION_UNKNOWN)
		return;
	if (c->purpose == CHECK) {
		c->checked_fitting += answer == CALIBRATION_FITS;
		c->checked_refused += answer == CALIBRATION_REFUSED;
		c->checked_lost += answer == CALIBRATION_FITS && foretold;
		c->checked_foreseen += answer == CALIBRATION_REFUSED && foretold;
		if (foretold == (answer == CALIBRATION_REFUSED))
			return;
	}
	fit_bounds(c);
}

void calibration_report(const struct calibration *c, struct calibration_report *out)
{
	*out = (struct calibration_report){.asked = c->n_answers,
					   .checked_fitting = c->checked_fitting,
					   .checked_lost = c->checked_lost,
					   .checked_refused = c->checked_refused,
					   .checked_foreseen = c->checked_foreseen};
	memcpy(out->bounds, c->bounds, sizeof out->bounds);
	for (size_t i = 0; i < c->n_answers; i++) {
		const struct answer *a = &c->answers[i];
		const bool above = part_taken(c, a->sizes) > 1;
		out->unknown += a->answer == CALIBRATION_UNKNOWN;
		out->fitting += a->answer == CALIBRATION_FITS;
		out->refused += a->answer == CALIBRATION_REFUSED;
		out->lost += a->answer == CALIBRATION_FITS && above;
		out->foreseen += a->answer == CALIBRATION_REFUSED && above;
	}
	const struct answer *largest = find_nearest(c, CALIBRATION_FITS);

	if (largest)
		memcpy(out->largest, largest->sizes, sizeof out->largest);
}

bool calibration_report_leaves_out(const struct calibration_report *r,
				   const struct calibration_space *s, const int64_t *sizes)
{
	for (size_t k = 0; k < CALIBRATION_SPACES; k++)
		if (s->capacities[k] > 0 &&
		    tile_bound_bytes(&r->bounds[k], sizes) > s->capacities[k])
			return true;
	return false;
}
