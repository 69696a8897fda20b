/* Loss of 1 to 16 configurations that serve many sizes, on the problems that they were chosen on
 * and on others, beside that of the nearest M.
 *
 *     cover_curve < TABLE
 *
 * TABLE's first line has the numbers of sizes, of configurations, of problems to choose on and of
 * those held out; then each problem has a line: its sizes, M first, and a time for each
 * configuration, 0 where it failed. Prints each figure beside its limit, and ends with 1 where one
 * is missed.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover.h"

enum { MOST = 16, SERVED_BY = 8, BUFFER = 256 };

struct tables { /* one table in two parts: the first problems are chosen on */
	size_t n_axes, n_configs, n_used, n_held;
	int64_t *sizes;
	double *times_ns;
};

struct loss {
	double mean, worst;
};

static const double used_loss = 0.03, held_loss = 0.05, held_worst = 0.25;
static bool missed;

static struct cover_table part_of(const struct tables *t, bool held)
{
	const size_t first = held ? t->n_used : 0;

	return (struct cover_table){held ? t->n_held : t->n_used, t->n_configs, t->n_axes,
				    t->sizes + first * t->n_axes,
				    t->times_ns + first * t->n_configs};
}

static bool read_table(struct tables *t)
{
	if (scanf("%zu %zu %zu %zu", &t->n_axes, &t->n_configs, &t->n_used, &t->n_held) != 4)
		return false;
	const size_t n = t->n_used + t->n_held;

	t->sizes = calloc(n * t->n_axes + 1, sizeof *t->sizes);
	t->times_ns = calloc(n * t->n_configs + 1, sizeof *t->times_ns);
	if (!t->sizes || !t->times_ns)
		return false;
	for (size_t p = 0; p < n; p++) {
		for (size_t i = 0; i < t->n_axes; i++) {
			long long size;

			if (scanf("%lld", &size) != 1)
				return false;
			t->sizes[p * t->n_axes + i] = size;
		}
		for (size_t i = 0; i < t->n_configs; i++)
			if (scanf("%lf", &t->times_ns[p * t->n_configs + i]) != 1)
				return false;
	}
	return true;
}

/* ---- losses ---- */

static void add_loss(struct loss *sum, double loss)
{
	sum->mean += log1p(loss);
	sum->worst = fmax(sum->worst, loss);
}

static struct loss mean_of(struct loss sum, size_t n)
{
	return (struct loss){expm1(sum.mean / (double)n), sum.worst};
}

static struct loss loss_of(const struct cover *c, const struct cover_table *t)
{
	struct loss sum = {0, 0};

	for (size_t p = 0; p < t->n_problems; p++)
		add_loss(&sum, cover_loss(t, p, cover_find(c, t->sizes + p * t->n_axes)));
	return mean_of(sum, t->n_problems);
}

static size_t best_of(const struct cover_table *t, size_t problem)
{
	size_t best = 0;

	for (size_t i = 1; i < t->n_configs; i++)
		if (cover_loss(t, problem, i) < cover_loss(t, problem, best))
			best = i;
	return best;
}

/* Finds the problem with the nearest M among those with the same other sizes, as a table by M is
 * read. */
static size_t find_nearest(const struct cover_table *used, const int64_t *sizes)
{
	int64_t nearest = INT64_MAX;
	size_t found = 0;

	for (size_t p = 0; p < used->n_problems; p++) {
		const int64_t *own = used->sizes + p * used->n_axes;
		const int64_t apart = llabs(own[0] - sizes[0]);

		if (memcmp(own + 1, sizes + 1, (used->n_axes - 1) * sizeof *own) == 0 &&
		    apart < nearest) {
			nearest = apart;
			found = p;
		}
	}
	return found;
}

static struct loss loss_of_nearest(const struct cover_table *used, const struct cover_table *held)
{
	struct loss sum = {0, 0};

	for (size_t p = 0; p < held->n_problems; p++) {
		const size_t near = find_nearest(used, held->sizes + p * held->n_axes);

		add_loss(&sum, cover_loss(held, p, best_of(used, near)));
	}
	return mean_of(sum, held->n_problems);
}

/* ---- what is printed ---- */

static void report(const char *what, double have_pct, double limit_pct)
{
	const bool met = have_pct <= limit_pct;

	printf("%-52s %8.2f %%  at most %.2f%s\n", what, have_pct, limit_pct,
	       met ? "" : "   MISSED");
	missed |= !met;
}

static void print_node(const struct cover *c, size_t node, int depth)
{
	const struct cover_node *n = &c->nodes[node];

	if (n->below == 0) {
		printf("%*sconfiguration %u\n", 2 * depth, "", (unsigned)n->config);
		return;
	}
	printf("%*ssize %u", 2 * depth, "", (unsigned)n->split.axis);
	if (n->split.measure != COVER_SIZE)
		printf(" %c size %u", n->split.measure == COVER_PRODUCT ? '*' : '/',
		       (unsigned)n->split.other);
	printf(" <= %.6g\n", n->split.at);
	print_node(c, n->below, depth + 1);
	print_node(c, n->below + 1, depth + 1);
}

static void choose(const struct cover_table *used, size_t most, struct cover *out)
{
	struct asc_err e;

	if (cover_choose(used, (struct cover_limits){most, most, used_loss}, out, &e)) {
		fprintf(stderr, "cover_curve: %s\n", e.text);
		exit(2);
	}
}

static void print_curve(const struct cover_table *used, const struct cover_table *held)
{
	printf("%14s %8s %12s %12s %12s %12s\n", "configurations", "rules", "loss, used", "worst",
	       "held out", "worst");
	for (size_t most = 1; most <= MOST; most++) {
		struct cover c = {0};

		choose(used, most, &c);
		const struct loss own = loss_of(&c, used), other = loss_of(&c, held);

		printf("%14zu %8zu %10.2f %% %10.2f %% %10.2f %% %10.2f %%\n", c.n_configs,
		       c.n_nodes / 2 + 1, 100 * own.mean, 100 * own.worst, 100 * other.mean,
		       100 * other.worst);
		cover_fini(&c);
	}
}

static void print_limits(const struct cover_table *used, const struct cover_table *held)
{
	const struct loss nearest = loss_of_nearest(used, held);
	char text[BUFFER];
	struct cover c = {0};

	choose(used, SERVED_BY, &c);
	const struct loss own = loss_of(&c, used), other = loss_of(&c, held);

	(void)snprintf(text, sizeof text, "%zu configurations: mean loss on the used", c.n_configs);
	report(text, 100 * own.mean, 100 * used_loss);
	report("mean loss on those held out", 100 * other.mean, 100 * held_loss);
	report("worst loss on those held out", 100 * other.worst, 100 * held_worst);
	(void)snprintf(text, sizeof text, "mean loss beside nearest M (worst %.2f %%)",
		       100 * nearest.worst);
	report(text, 100 * other.mean, 100 * nearest.mean);
	print_node(&c, 0, 1);
	cover_fini(&c);
}

int main(void)
{
	struct tables t = {0};

	if (!read_table(&t)) {
		fprintf(stderr, "cover_curve: the table is not complete\n");
		return 2;
	}
	const struct cover_table used = part_of(&t, false), held = part_of(&t, true);

	print_curve(&used, &held);
	print_limits(&used, &held);
	free(t.sizes);
	free(t.times_ns);
	return missed;
}
