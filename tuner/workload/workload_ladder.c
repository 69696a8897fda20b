/* Ladders: a problem whose dimensions have lists of sizes stands for one problem for each of their
 * combinations, NAME.M4.N8 for M = 4, N = 8. */
#include <ctype.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/workload_read.h"

/* ---- reading lists ---- */

static enum asc_status steps_add(struct dimension *d, const struct json_node *n, struct asc_err *e)
{
	if (json_get_int(n, &d->steps[d->n_steps], e))
		return e->status;
	for (size_t i = 0; i < d->n_steps; i++)
		if (d->steps[i] == d->steps[d->n_steps])
			return json_fail(n, e, "%lld is listed twice",
					 (long long)d->steps[d->n_steps]);
	d->n_steps++;
	return ASC_OK;
}

enum asc_status ladder_read(const struct json_node *n, struct dimension *d, struct asc_err *e)
{
	enum asc_status s = workload_check_count(n, "values", WORKLOAD_MAX_PROBLEMS, e);

	if (s == ASC_OK && json_count(n) == 0)
		return json_fail(n, e, "is empty, expected at least one integer");
	d->steps = json_alloc(n, (json_count(n) + 1) * sizeof *d->steps);
	if (!d->steps)
		return asc_err_nomem(e);
	for (const struct json_node *c = json_first(n); c && s == ASC_OK; c = json_next(c))
		s = steps_add(d, c, e);
	d->value = value_int(d->steps[0]);
	return s;
}

/* ---- the problems of a ladder ---- */

enum asc_status ladder_count(const struct problem *p, size_t *n, struct asc_err *e)
{
	*n = 1;
	for (size_t i = 0; i < p->n_dims; i++)
		if (p->dims[i].n_steps && (*n *= p->dims[i].n_steps) > WORKLOAD_MAX_PROBLEMS)
			return json_fail(json_find(p->node, "dims"), e,
					 "its lists make more than %d problems",
					 WORKLOAD_MAX_PROBLEMS);
	return ASC_OK;
}

static bool is_ladder(const struct problem *p)
{
	size_t i = 0;

	while (i < p->n_dims && !p->dims[i].n_steps)
		i++;
	return i < p->n_dims;
}

/* Sets the sizes of the problem at `place`: the last list's go fastest. */
static enum asc_status set_sizes(struct problem *p, size_t place, struct asc_err *e)
{
	struct dimension *dims = json_alloc(p->node, (p->n_dims + 1) * sizeof *dims);

	if (!dims)
		return asc_err_nomem(e);
	for (size_t i = p->n_dims; i-- > 0;) {
		dims[i] = p->dims[i];
		if (!dims[i].n_steps)
			continue;
		dims[i].value = value_int(dims[i].steps[place % dims[i].n_steps]);
		place /= dims[i].n_steps;
	}
	p->dims = dims;
	return ASC_OK;
}

static enum asc_status set_name(struct problem *p, struct asc_err *e)
{
	struct buf text = {0};

	buf_add_str(&text, p->ladder);
	for (size_t i = 0; i < p->n_dims; i++)
		if (p->dims[i].n_steps)
			buf_print(&text, ".%s%lld", p->dims[i].name, (long long)p->dims[i].value.i);
	char *name = text.failed ? NULL : json_alloc(p->node, text.len + 1);
	enum asc_status s = name ? ASC_OK : asc_err_nomem(e);

	if (s == ASC_OK) {
		p->name = memcpy(name, buf_str(&text), text.len + 1);
		s = workload_check_name(json_find(p->node, "dims"), p->name, e);
	}
	buf_fini(&text);
	return s;
}

enum asc_status ladder_get(const struct problem *p, size_t place, struct problem *out,
			   struct asc_err *e)
{
	*out = *p;
	if (!is_ladder(p))
		return ASC_OK;
	out->ladder = p->name;
	return set_sizes(out, place, e) || set_name(out, e) ? e->status : ASC_OK;
}

/* Finds a name that means both problems, one of which is of a ladder: their own, or that of the
 * ladder; NULL: none. */
static const char *find_shared_name(const struct problem *a, const struct problem *b)
{
	if (!a->ladder && !b->ladder)
		return NULL; /* told apart as the file was read */
	if (strcmp(a->name, b->name) == 0 || (b->ladder && strcmp(a->name, b->ladder) == 0))
		return a->name;
	return a->ladder && strcmp(a->ladder, b->name) == 0 ? b->name : NULL;
}

enum asc_status ladder_check_names(const struct problem *list, size_t n, struct asc_err *e)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			const char *shared = find_shared_name(&list[i], &list[k]);

			if (shared)
				return json_fail(list[i].node, e,
						 "the name \"%s\" is used twice: a dimension's "
						 "list makes it, too",
						 shared);
		}
	return ASC_OK;
}

/* True for what a ladder adds to its name: parts like `.M4`. */
static bool is_rest(const char *text)
{
	while (*text == '.' && isalpha((unsigned char)text[1])) {
		const size_t n = 1 + strcspn(text + 1, ".");

		if (!isdigit((unsigned char)text[n - 1]))
			return false;
		text += n;
	}
	return !*text;
}

bool problem_name_is_of(const char *name, const char *wanted)
{
	const size_t n = strlen(wanted);

	return strncmp(name, wanted, n) == 0 && is_rest(name + n);
}
