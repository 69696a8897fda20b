/* The choice of a cover.
 *
 * Sets of configurations grow by one at a time, the one that lowers the sum of costs over all
 * problems most; then single members are exchanged while that lowers it further. Over each set a
 * tree of splits is grown that gives each problem one member, cut back by cross-validation, and
 * grown again as far as the allowed loss asks. The first set whose tree loses no more than allowed
 * is the answer. Two sets grow side by side: one by the costs themselves, one by costs smoothed
 * over neighbours, which is taken first if both are good enough. */
#include "reports/tables/cover.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover_costs.h"
#include "reports/tables/cover_tree.h"

void cover_fini(struct cover *c)
{
	free(c->nodes);
	free(c->configs);
	*c = (struct cover){0};
}

/* ---- sets of configurations ---- */

/* A gain below this share of the sum is rounding: without a bound two members could be exchanged
 * for each other for ever. */
static const double least_share = 1e-9;

struct chooser {
	const struct cover_table *table;
	bool smooth;   /* costs are smoothed */
	double *costs; /* of all configurations */
	uint32_t *set; /* configurations chosen so far */
	size_t n;
	double *lowest, *second; /* by problem: two lowest costs of the set */
	uint32_t *holder;        /* place in the set of the lowest */
	double *part;            /* costs of the set alone */
};

/* Finds the two lowest costs of each problem: what remains if the member with the lowest goes is
 * known without another look at the set. */
static void find_lowest(struct chooser *c)
{
	for (size_t p = 0; p < c->table->n_problems; p++) {
		c->lowest[p] = c->second[p] = INFINITY;
		for (size_t i = 0; i < c->n; i++) {
			const double own = c->costs[p * c->table->n_configs + c->set[i]];

			if (own < c->lowest[p]) {
				c->second[p] = c->lowest[p];
				c->lowest[p] = own;
				c->holder[p] = (uint32_t)i;
			} else if (own < c->second[p]) {
				c->second[p] = own;
			}
		}
	}
}

/* Finds the configuration with which the set costs least if it takes the place of member `place`;
 * place n: beside all. False: none makes the set cheaper than *best. */
static bool find_config(const struct chooser *c, size_t place, double *best, uint32_t *out)
{
	const double before = *best;

	for (uint32_t i = 0; i < c->table->n_configs; i++) {
		double sum = 0;

		for (size_t p = 0; p < c->table->n_problems; p++) {
			const bool lost = place < c->n && c->holder[p] == place;

			sum += fmin(lost ? c->second[p] : c->lowest[p],
				    c->costs[p * c->table->n_configs + i]);
		}
		if (sum < *best * (1 - least_share)) {
			*best = sum;
			*out = i;
		}
	}
	return *best < before;
}

/* Adds one configuration, then exchanges single ones while that makes the set cheaper. False: no
 * configuration makes it cheaper. */
static bool enlarge(struct chooser *c)
{
	double best = 0;
	bool changed = true;

	for (size_t p = 0; p < c->table->n_problems; p++)
		best += c->lowest[p]; /* infinite for the empty set: anything is cheaper */
	if (!find_config(c, c->n, &best, &c->set[c->n]))
		return false;
	c->n++;
	find_lowest(c);
	while (changed) {
		changed = false;
		for (size_t place = 0; place < c->n; place++)
			if (find_config(c, place, &best, &c->set[place])) {
				changed = true;
				find_lowest(c);
			}
	}
	return true;
}

/* Costs of all configurations, a heap array; NULL: out of memory. */
static double *make_costs(const struct cover_table *t, bool smooth)
{
	const size_t n = t->n_problems * t->n_configs;
	uint32_t *all = calloc(t->n_configs, sizeof *all);
	struct cover_costs own = {t, all, t->n_configs, smooth, calloc(n, sizeof *own.costs)};
	double *smoothed = smooth ? calloc(n, sizeof *smoothed) : NULL;
	const bool ok = all && own.costs && (smoothed || !smooth);

	for (uint32_t i = 0; ok && i < t->n_configs; i++)
		all[i] = i;
	if (ok)
		cover_costs_fill(&own);
	if (ok && smooth)
		cover_costs_smooth(&own, NULL, smoothed);
	free(all);
	if (ok && !smooth)
		return own.costs;
	free(own.costs);
	if (ok)
		return smoothed;
	free(smoothed);
	return NULL;
}

static bool chooser_init(struct chooser *c, const struct cover_table *t, bool smooth)
{
	*c = (struct chooser){.table = t,
			      .smooth = smooth,
			      .costs = make_costs(t, smooth),
			      .set = calloc(t->n_configs + 1, sizeof *c->set),
			      .lowest = calloc(t->n_problems, sizeof *c->lowest),
			      .second = calloc(t->n_problems, sizeof *c->second),
			      .holder = calloc(t->n_problems, sizeof *c->holder),
			      .part = calloc(t->n_problems * t->n_configs, sizeof *c->part)};
	if (!c->costs || !c->set || !c->lowest || !c->second || !c->holder || !c->part)
		return false;
	find_lowest(c);
	return true;
}

static void chooser_fini(struct chooser *c)
{
	free(c->costs);
	free(c->set);
	free(c->lowest);
	free(c->second);
	free(c->holder);
	free(c->part);
}

/* ---- the tree over a set ---- */

/* Loss over all problems with the first n_splits splits; *worst is the largest. */
static double measure(const struct cover_table *t, const struct cover_tree *tree, size_t n_splits,
		      double *worst)
{
	double sum = 0;

	*worst = 0;
	for (size_t p = 0; p < t->n_problems; p++) {
		const uint32_t config = cover_tree_find(tree, n_splits, t->sizes + p * t->n_axes);
		const double loss = cover_loss(t, p, config);

		sum += log1p(loss); /* the mean of ratios is geometric */
		*worst = fmax(*worst, loss);
	}
	return expm1(sum / (double)t->n_problems);
}

static int compare_configs(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Lists the configurations of the leaves; they have room in out->configs. */
static void list_configs(struct cover *out)
{
	size_t n = 0;

	for (size_t i = 0; i < out->n_nodes; i++)
		if (out->nodes[i].below == 0)
			out->configs[n++] = out->nodes[i].config;
	qsort(out->configs, n, sizeof *out->configs, compare_configs);
	out->n_configs = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || out->configs[i] != out->configs[i - 1])
			out->configs[out->n_configs++] = out->configs[i];
}

/* Makes the tree a cover: its first n_splits splits. */
static enum asc_status take_tree(struct cover_tree *tree, size_t n_splits, struct cover *out,
				 struct asc_err *e)
{
	cover_fini(out);
	cover_tree_cut(tree, n_splits);
	out->nodes = tree->nodes;
	out->n_nodes = tree->n_nodes;
	*tree = (struct cover_tree){0};
	out->configs = calloc(out->n_nodes, sizeof *out->configs);
	if (!out->configs)
		return asc_err_nomem(e);
	list_configs(out);
	return ASC_OK;
}

/* Grows a tree over the set, of as many splits as cross-validation finds best and as many more as
 * the allowed loss asks for. It becomes the cover if that loses more, or is none yet. */
static enum asc_status improve(struct chooser *c, double loss, struct cover *out, struct asc_err *e)
{
	struct cover_costs costs = {c->table, c->set, c->n, c->smooth, c->part};
	struct cover_tree tree = {0};
	size_t n_splits;
	double own, worst;
	enum asc_status status = ASC_OK;

	/* In the order of the table, not of their finding: equal costs have one answer. */
	qsort(c->set, c->n, sizeof *c->set, compare_configs);
	find_lowest(c);
	cover_costs_fill(&costs);
	if (!cover_tree_grow(&costs, &tree) ||
	    !cover_tree_validate(&costs, tree.n_nodes / 2, &n_splits)) {
		cover_tree_fini(&tree);
		return asc_err_nomem(e);
	}
	/* Cross-validation is about other sizes; the loss that is allowed is about these. */
	while ((own = measure(c->table, &tree, n_splits, &worst)) > loss &&
	       n_splits < tree.n_nodes / 2)
		n_splits++;
	if (out->n_nodes == 0 || own < out->loss) {
		status = take_tree(&tree, n_splits, out, e);
		out->loss = own;
		out->worst_loss = worst;
	}
	cover_tree_fini(&tree);
	return status;
}

/* ---- all together ---- */

static enum asc_status check(const struct cover_table *t, struct asc_err *e)
{
	if (t->n_problems == 0 || t->n_configs == 0 || t->n_axes > COVER_MAX_AXES)
		return asc_err_set(e, ASC_INPUT,
				   "%zu problems, %zu configurations and %zu sizes make no table",
				   t->n_problems, t->n_configs, t->n_axes);
	for (size_t p = 0; p < t->n_problems; p++)
		if (isinf(cover_fastest(t, p)))
			return asc_err_set(e, ASC_NOTFOUND, "no configuration ran on problem %zu",
					   p);
	return ASC_OK;
}

/* Grows both choosers' sets, the smoothed one first in each round: it serves sizes between those of
 * the table better. */
static enum asc_status choose(struct chooser choosers[2], struct cover_limits limits,
			      struct cover *out, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	bool more = true;

	for (size_t n = 1; more && n <= limits.most; n++) {
		const bool first = enlarge(&choosers[0]), second = enlarge(&choosers[1]);

		more = first || second;
		if (more && n < limits.least)
			continue; /* as many configurations are wanted, whatever the loss */
		for (int i = 0; i < 2 && status == ASC_OK; i++)
			if (out->n_nodes == 0 || out->loss > limits.loss)
				status = improve(&choosers[i], limits.loss, out, e);
		more = more && status == ASC_OK && out->loss > limits.loss;
	}
	/* Each problem has a time, but no tree over so few configurations gives each a good one. */
	if (status == ASC_OK && (out->n_nodes == 0 || isinf(out->loss)))
		status = asc_err_set(e, ASC_NOTFOUND,
				     "no %zu configurations ran on every problem that they serve",
				     limits.most);
	return status;
}

enum asc_status cover_choose(const struct cover_table *t, struct cover_limits limits,
			     struct cover *out, struct asc_err *e)
{
	struct chooser choosers[2] = {{0}, {0}};
	enum asc_status status = check(t, e);

	if (status == ASC_OK &&
	    (!chooser_init(&choosers[0], t, true) || !chooser_init(&choosers[1], t, false)))
		status = asc_err_nomem(e);
	if (status == ASC_OK)
		status = choose(choosers, limits, out, e);
	if (status)
		cover_fini(out);
	chooser_fini(&choosers[0]);
	chooser_fini(&choosers[1]);
	return status;
}

uint32_t cover_find(const struct cover *c, const int64_t *sizes)
{
	const struct cover_tree whole = {c->nodes, c->n_nodes};

	return cover_tree_find(&whole, c->n_nodes / 2, sizes);
}
