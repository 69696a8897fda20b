#include "tuner/workload/space/space.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/workload/space/space_new.h"

/* Rows to be joined to nodes. They are sorted, so rows with the same beginning are neighbours. */
struct listing {
	const uint16_t **rows;
	size_t n;
	struct diagram *out;
	const struct space *space;
};

static int compare_rows(const void *a, const void *b, void *user)
{
	const uint16_t *x = *(const uint16_t *const *)a, *y = *(const uint16_t *const *)b;
	const size_t n = *(const size_t *)user;
	size_t i = 0;

	while (i < n && x[i] == y[i])
		i++;
	/* Picks are 16 bits: their difference fits an int. */
	return i == n ? 0 : (int)x[i] - (int)y[i];
}

/* Finds or makes the node of the rows first .. end-1, which are equal before `level`. */
static enum asc_status join_rows(struct listing *l, size_t level, size_t first, size_t end,
				 uint32_t *node, struct asc_err *e)
{
	enum asc_status st = ASC_OK;
	size_t n = 0;

	*node = DIAGRAM_END;
	/* All picks are equal: repeated rows end in the same place and so count once. */
	if (level == l->space->n)
		return ASC_OK;
	struct diagram_edge *edges = malloc(l->space->params[level].n * sizeof *edges);
	if (!edges)
		return asc_err_nomem(e);
	while (!st && first < end) {
		const uint16_t pick = l->rows[first][level];
		size_t next = first + 1;
		while (next < end && l->rows[next][level] == pick)
			next++;
		edges[n].pick = pick;
		st = join_rows(l, level + 1, first, next, &edges[n++].child, e);
		first = next;
	}
	if (!st)
		st = diagram_add(l->out, level, edges, n, node, e);
	free(edges);
	return st;
}

static enum asc_status check_rows(const struct space *s, const uint16_t *rows, size_t n,
				  struct asc_err *e)
{
	for (size_t i = 0; i < n * s->n; i++) {
		const struct space_param *p = &s->params[i % s->n];
		if (rows[i] >= p->n)
			return asc_err_set(
				e, ASC_INPUT,
				"configuration %zu: %s has %zu values, found position %u", i / s->n,
				p->name, p->n, rows[i]);
	}
	return ASC_OK;
}

static enum asc_status list_rows(struct space *s, const uint16_t *rows, size_t n, struct asc_err *e)
{
	struct listing l = {malloc((n + 1) * sizeof *l.rows), n, &s->diagram, s};

	if (!l.rows)
		return asc_err_nomem(e);
	enum asc_status st = diagram_init(&s->diagram, s->n, e);
	/* A list has no conditions that connect parameters: their order in the file serves. */
	for (size_t i = 0; i < s->n; i++)
		s->order[i] = i;
	for (size_t i = 0; !st && i < n; i++)
		l.rows[i] = rows + i * s->n;
	if (!st && n > 0) {
		qsort_r(l.rows, n, sizeof *l.rows, compare_rows, &s->n);
		st = join_rows(&l, 0, 0, n, &s->diagram.root, e);
	}
	free(l.rows);
	if (!st)
		diagram_seal(&s->diagram);
	return st;
}

enum asc_status space_new_list(const struct space_param *params, size_t n_params,
			       const uint16_t *rows, size_t n_rows, struct space **out,
			       struct asc_err *e)
{
	const struct space_spec spec = {.params = params, .n_params = n_params};
	struct space *s = NULL;
	enum asc_status st = space_start(&spec, &s, e);

	if (!st)
		st = check_rows(s, rows, n_rows, e);
	if (!st)
		st = list_rows(s, rows, n_rows, e);
	if (st) {
		space_free(s);
		return st;
	}
	return space_finish(s, out, e);
}
