/* Problems of other sizes than an entry of the file. A ladder is an entry whose dimensions are
 * lists of sizes; it stands for one problem for each combination. A user may also ask for sizes
 * that the file does not name. Both kinds are called ENTRY.M4.N8 for M = 4, N = 8. */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/value.h"
#include "tuner/workload/workload_read.h"

/* ---- reading lists ---- */

static enum asc_status steps_add(struct dimension *d, const struct json_node *n, struct asc_err *e)
{
	if (json_get_int(n, &d->steps[d->n_steps], e))
		return e->status;
	/* A size that is listed twice would make two problems of one name. */
	for (size_t i = 0; i < d->n_steps; i++)
		if (d->steps[i] == d->steps[d->n_steps])
			return json_fail(n, e, "%lld is listed twice",
					 (long long)d->steps[d->n_steps]);
	d->n_steps++;
	return ASC_OK;
}

enum asc_status ladder_read(const struct json_node *n, struct dimension *d, struct asc_err *e)
{
	if (workload_check_count(n, "values", WORKLOAD_MAX_PROBLEMS, e))
		return e->status;
	if (json_count(n) == 0)
		return json_fail(n, e, "is empty, expected at least one integer");
	d->steps = json_alloc(n, (json_count(n) + 1) * sizeof *d->steps);
	if (!d->steps)
		return asc_err_nomem(e);
	for (const struct json_node *c = json_first(n); c; c = json_next(c))
		if (json_ends(c, steps_add(d, c, e)))
			return e->status;
	d->value = value_int(d->steps[0]);
	return ASC_OK;
}

/* ---- the problems of a ladder ---- */

enum asc_status ladder_count(const struct problem *p, size_t *n, struct asc_err *e)
{
	size_t all = 1;
	*n = 1;
	/* Left as soon as there are too many: the product of all lists may overflow. */
	for (size_t i = 0; i < p->n_dims; i++)
		if (p->dims[i].n_steps && (all *= p->dims[i].n_steps) > WORKLOAD_MAX_PROBLEMS)
			return json_fail(json_find(p->node, "dims"), e,
					 "its lists make more than %d problems",
					 WORKLOAD_MAX_PROBLEMS);
	*n = all;
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
	/* The place is a number whose digits are the positions in the lists. */
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
	return set_sizes(out, place, e) || json_ends(p->node, set_name(out, e)) ? e->status
										: ASC_OK;
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
	/* All pairs, of 1000 problems at most: half a million comparisons. */
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			const char *shared = find_shared_name(&list[i], &list[k]);

			if (shared &&
			    json_ends(list[i].node,
				      json_fail(list[i].node, e,
						"the name \"%s\" is used twice: a dimension's "
						"list makes it, too",
						shared)))
				return e->status;
		}
	return ASC_OK;
}

const char *problem_name_part_end(const char *part)
{
	part += strcspn(part, ".");
	while (*part == '.' && isdigit((unsigned char)part[1])) /* a real number's */
		part += 1 + strcspn(part + 1, ".");
	return part;
}

bool workload_dimension_is_real(const struct workload *w, const char *dimension)
{
	for (size_t i = 0; i < w->n_problems; i++) {
		const struct problem *p = &w->problems[i];

		for (size_t k = 0; k < p->n_dims; k++)
			if (p->dims[k].value.kind == VALUE_REAL &&
			    strcmp(p->dims[k].name, dimension) == 0)
				return true;
	}
	return false;
}

/* True for what sizes and types add to a name: parts like `.M4`, `.PADDING0.5` and `.Tf16`. */
static bool is_rest(const char *text)
{
	while (*text == '.' && isalpha((unsigned char)text[1])) {
		const char *end = problem_name_part_end(text + 1);
		const ptrdiff_t n = end - text;

		if (!isdigit((unsigned char)end[-1]) &&
		    (n < (ptrdiff_t)sizeof ".Tbool" - 1 || strncmp(end - 4, "bool", 4) != 0))
			return false;
		text = end;
	}
	return !*text;
}

bool problem_name_is_of(const char *name, const char *wanted)
{
	const size_t n = strlen(wanted);

	return strncmp(name, wanted, n) == 0 && is_rest(name + n);
}

/* ---- sizes that the file does not name ---- */

static const char *entry_name(const struct problem *p)
{
	return p->ladder ? p->ladder : p->name;
}

/* Finds a problem of the entry whose name, with a dot, begins `name`: that of the longest. */
static const struct problem *find_entry(const struct workload *w, const char *name)
{
	const struct problem *found = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < w->n_problems; i++) {
		const char *entry = entry_name(&w->problems[i]);
		const size_t n = strlen(entry);

		/* The longest: an entry's own name may have dots. */
		if (n > longest && strncmp(name, entry, n) == 0 && name[n] == '.') {
			found = &w->problems[i];
			longest = n;
		}
	}
	return found;
}

/* Reads a dimension's part of a name: `M4`, or of one that is real `PADDING0.5`. */
static bool read_size(const struct workload *w, const struct dimension *d, const char *part,
		      struct value *out)
{
	const size_t n = strlen(d->name);

	return strncmp(part, d->name, n) == 0 && value_parse(part + n, strlen(part + n), out) &&
	       (out->kind == VALUE_INT ||
		(out->kind == VALUE_REAL && workload_dimension_is_real(w, d->name)));
}

/* Sets what one part of a name says, `M4` or `Tf16`. ASC_INPUT where it says nothing, or may mean
 * two dimensions (`M14` where there are M and M1). */
static enum asc_status set_part(const struct workload *w, struct problem *p, const char *part,
				struct asc_err *e)
{
	size_t meanings = 0;
	struct value size;
	enum dtype type;

	for (size_t i = 0; i < p->n_dims; i++)
		if (read_size(w, &p->dims[i], part, &size)) {
			/* Set although a second meaning may follow: the problem is dropped then. */
			struct value *v = &p->dims[i].value;
			const bool truth = v->kind == VALUE_BOOL;

			if (truth && size.i != 0 && size.i != 1)
				return asc_err_set(e, ASC_INPUT,
						   "\"%s\" of problem %s: %s is true or false: 1 "
						   "or 0",
						   part, entry_name(p), p->dims[i].name);
			*v = truth ? value_bool(size.i == 1) : size;
			meanings++;
		}
	for (size_t i = 0; i < p->n_dtypes; i++) {
		const size_t n = strlen(p->dtypes[i].name);

		if (strncmp(part, p->dtypes[i].name, n) == 0 && dtype_parse(part + n, &type)) {
			p->dtypes[i].dtype = type;
			meanings++;
		}
	}
	if (meanings == 1)
		return ASC_OK;
	return asc_err_set(e, ASC_INPUT, "\"%s\" %s of problem %s", part,
			   meanings ? "may mean more than one size or type" : "is no size or type",
			   entry_name(p));
}

enum asc_status ladder_derive(const struct workload *w, const char *name, struct problem *out,
			      struct asc_err *e)
{
	const struct problem *entry = find_entry(w, name);
	const size_t len = strlen(name);

	if (!entry)
		return asc_err_set(e, ASC_NOTFOUND, "%s: there is no problem %s", w->path, name);
	if (entry->n_sets)
		return asc_err_set(e, ASC_INPUT,
				   "problem %s has sets of inputs in files, which are of its own "
				   "sizes and types: there is no problem %s",
				   entry_name(entry), name);
	if (name_check(name, e))
		return e->status;
	char *text = json_alloc(entry->node, 2 * (len + 1));
	struct dimension *dims = json_alloc(entry->node, (entry->n_dims + 1) * sizeof *dims);
	struct dtype_variable *types =
		json_alloc(entry->node, (entry->n_dtypes + 1) * sizeof *types);

	if (!text || !dims || !types)
		return asc_err_nomem(e);
	*out = *entry;
	out->ladder = entry_name(entry);
	out->name = memcpy(text, name, len + 1);
	out->dims = dims;
	out->dtypes = types;
	for (size_t i = 0; i < entry->n_dims; i++)
		dims[i] = entry->dims[i];
	for (size_t i = 0; i < entry->n_dtypes; i++)
		types[i] = entry->dtypes[i];

	/* Parts are cut out of a second copy: the first stays the name. */
	char *part = text + len + 1, *rest;
	const char *parts = name + strlen(out->ladder) + 1;

	memcpy(part, parts, (size_t)(name + len + 1 - parts));
	for (; part; part = rest) {
		const size_t n = (size_t)(problem_name_part_end(part) - part);

		rest = part[n] ? part + n + 1 : NULL;
		part[n] = '\0';
		if (set_part(w, out, part, e))
			return e->status;
	}
	return ASC_OK;
}
