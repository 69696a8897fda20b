#include "tuner/cmd/run/problem_sizes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tuner/base/axes.h"
#include "tuner/base/buf.h"
#include "tuner/base/value.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/workload.h"

bool problem_sizes_wanted(const struct problem_sizes *s)
{
	return s->dims || s->dtype;
}

void problem_sizes_fini(struct problem_sizes *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->names[i]);
	s->n = 0;
}

/* ---- reading the options ---- */

static bool is_type(const struct axis *a)
{
	return strcmp(a->option, "dtype") == 0;
}

/* Finds what a name says of a truth value, "1" or "0"; NULL: `text` is none in words. */
static const char *find_truth(const char *text)
{
	return strcasecmp(text, "true") == 0 ? "1" : strcasecmp(text, "false") == 0 ? "0" : NULL;
}

/* Reads an option's text, and checks that types are some. */
static enum asc_status read_option(struct axes *x, const char *option, const char *text,
				   const char *unnamed, const char *example, struct asc_err *e)
{
	size_t i = x->n;
	enum dtype type;

	if (axes_read(x, option, text, unnamed, example, e))
		return e->status;
	for (; i < x->n; i++)
		for (size_t k = 0; is_type(&x->list[i]) && k < x->list[i].n; k++)
			if (!dtype_parse(x->list[i].values[k], &type))
				return asc_err_set(
					e, ASC_USAGE,
					"--dtype: \"%s\" is no type (f32, f16, bf16, ...)",
					x->list[i].values[k]);
	return ASC_OK;
}

static enum asc_status read_options(const struct problem_sizes *s, const struct problem *p,
				    struct axes *x, struct asc_err *e)
{
	const char *only_type = p->n_dtypes == 1 ? p->dtypes[0].name : NULL;

	if (s->dtype && p->n_dtypes == 0)
		return asc_err_set(e, ASC_USAGE,
				   "--dtype: problem %s has no dtype variable: the workload fixes "
				   "its types",
				   p->name);
	/* Sizes always have names: which of M and N would a bare number be? */
	if (s->dims && read_option(x, "dims", s->dims, NULL, "M=8,N=4096", e))
		return e->status;
	if (!s->dtype)
		return ASC_OK;
	char *example = str_print("%s=%s", p->dtypes[0].name, s->dtype);
	const enum asc_status status =
		example ? read_option(x, "dtype", s->dtype, only_type, example, e)
			: asc_err_nomem(e);

	free(example);
	return status;
}

/* Refuses a name that the problem lacks; the message lists its names. */
static enum asc_status check_name(const struct problem *p, const struct axis *a, struct asc_err *e)
{
	const char *names[WORKLOAD_MAX_DIMS + 1] = {0};
	const size_t n = is_type(a) ? p->n_dtypes : p->n_dims;
	const char *what = is_type(a) ? "dtype variable" : "dimension";
	struct buf all = {0};

	for (size_t i = 0; i < n; i++) {
		names[i] = is_type(a) ? p->dtypes[i].name : p->dims[i].name;
		if (strcmp(names[i], a->name) == 0) {
			buf_fini(&all);
			return ASC_OK;
		}
		buf_print(&all, "%s%s", i ? ", " : "", names[i]);
	}
	const char *nearest = str_nearest(a->name, names);

	if (nearest)
		(void)asc_err_set(e, ASC_USAGE,
				  "problem %s has no %s \"%s\" (did you mean \"%s\"?)", p->name,
				  what, a->name, nearest);
	else
		(void)asc_err_set(e, ASC_USAGE, "problem %s has no %s \"%s\"; it has: %s", p->name,
				  what, a->name, all.len ? buf_str(&all) : "none");
	buf_fini(&all);
	return e->status;
}

/* Checks the values of a dimension by its kind in the file. Names of problems have 1 and 0 for true
 * and false. */
static enum asc_status check_kind(const struct workload *w, const struct problem *p, struct axis *a,
				  struct asc_err *e)
{
	const bool real = workload_dimension_is_real(w, a->name);
	const struct dimension *d = p->dims;
	struct value v;

	while (strcmp(d->name, a->name) != 0) /* check_name() has found it */
		d++;
	for (size_t i = 0; i < a->n; i++) {
		const char *truth = find_truth(a->values[i]);
		const bool digit = strcmp(a->values[i], "0") == 0 || strcmp(a->values[i], "1") == 0;

		if (d->value.kind == VALUE_BOOL && !truth && !digit)
			return asc_err_set(e, ASC_USAGE,
					   "--dims: %s: \"%s\" is neither true nor false", a->name,
					   a->values[i]);
		if (d->value.kind != VALUE_BOOL &&
		    (!value_parse(a->values[i], strlen(a->values[i]), &v) ||
		     (v.kind != VALUE_INT && (!real || v.kind != VALUE_REAL))))
			return asc_err_set(e, ASC_USAGE, "--dims: %s: \"%s\" is no %s", a->name,
					   a->values[i], real ? "number" : "integer");
		if (truth)
			a->values[i] = truth;
	}
	return ASC_OK;
}

/* ---- the problems ---- */

/* Value of the axis called `name` in combination `place`, the last axis' fastest; NULL: there is
 * no such axis. */
static const char *find_value(const struct axes *x, const char *name, bool of_type, size_t place)
{
	for (size_t i = x->n; i-- > 0;) {
		const struct axis *a = &x->list[i];

		if (is_type(a) == of_type && strcmp(a->name, name) == 0)
			return a->values[place % a->n];
		place /= a->n;
	}
	return NULL;
}

/* True where the name of problem `p`, which was made of its entry's, has the part NAMEVALUE. */
static bool says(const struct problem *p, const char *name, const char *value)
{
	const size_t n = strlen(name), all = n + strlen(value);
	const char *part = p->ladder ? p->name + strlen(p->ladder) : "";

	while (*part) {
		const char *end = problem_name_part_end(++part);
		const size_t len = (size_t)(end - part);

		if (len == all && strncmp(part, name, n) == 0 &&
		    strncmp(part + n, value, all - n) == 0)
			return true;
		part = end;
	}
	return false;
}

/* Prints the name of problem `p` with the sizes and types of a combination; its own name where it
 * has them all. What the name of `p` says stays said: it may be a recorded one. */
static void print_name(const struct problem *p, const struct axes *x, size_t place, struct buf *out)
{
	bool differs = false;

	buf_add_str(out, p->ladder ? p->ladder : p->name);
	for (size_t i = 0; i < p->n_dims; i++) {
		const struct dimension *d = &p->dims[i];
		const char *value = find_value(x, d->name, false, place);
		char own[32];

		/* Names have 1 and 0 for true and false. */
		(void)value_print(d->value.kind == VALUE_BOOL ? value_int(value_truth(d->value))
							      : d->value,
				  own, sizeof own);
		if (value || says(p, d->name, own))
			buf_print(out, ".%s%s", d->name, value ? value : own);
		differs |= value && strcmp(value, own) != 0;
	}
	/* A type that is the file's own is left out: it needs no name to be told apart. */
	for (size_t i = 0; i < p->n_dtypes; i++) {
		const char *own = dtype_name(p->dtypes[i].dtype);
		const char *type = find_value(x, p->dtypes[i].name, true, place);
		const bool other = type && strcmp(type, own) != 0;

		if (other || says(p, p->dtypes[i].name, own))
			buf_print(out, ".%s%s", p->dtypes[i].name, other ? type : own);
		differs |= other;
	}
	/* The problem of the file, so that its history goes on. */
	if (!differs) {
		out->len = 0;
		buf_add_str(out, p->name);
	}
}

static enum asc_status add_name(struct problem_sizes *s, struct workload *w, const char *name,
				struct asc_err *e)
{
	const struct problem *added;

	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->names[i], name) == 0)
			return ASC_OK; /* of another problem of its ladder, which differs in a size
					  that is given */
	if (s->n == TARGET_MAX_PROBLEMS)
		return asc_err_set(e, ASC_USAGE, "--dims and --dtype make more than %d problems",
				   TARGET_MAX_PROBLEMS);
	if (workload_open_problem(w, name, &added, e))
		return e->status;
	s->names[s->n] = str_dup(name);
	return s->names[s->n++] ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status add_combinations(struct problem_sizes *s, struct workload *w,
					const struct problem *p, const struct axes *x,
					struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	size_t all = 1;

	/* Checked at each axis: the product of all may be beyond 64 bits. */
	for (size_t i = 0; i < x->n && status == ASC_OK; i++) {
		all *= x->list[i].n;
		if (all > TARGET_MAX_PROBLEMS)
			status = asc_err_set(e, ASC_USAGE,
					     "--dims and --dtype make more than %d problems",
					     TARGET_MAX_PROBLEMS);
	}
	for (size_t place = 0; place < all && status == ASC_OK; place++) {
		struct buf name = {0};

		print_name(p, x, place, &name);
		status = buf_check(&name, e);
		if (status == ASC_OK)
			status = add_name(s, w, buf_str(&name), e);
		buf_fini(&name);
	}
	return status;
}

/* Checks that the problem has all that is named and, without --problem, that each of its sizes is
 * given: none is taken over silently. */
static enum asc_status check_names(const struct workload *w, const struct problem *p,
				   struct axes *x, bool all_given, struct asc_err *e)
{
	for (size_t i = 0; i < x->n; i++) {
		struct axis *a = &x->list[i];

		if (check_name(p, a, e) || (!is_type(a) && check_kind(w, p, a, e)))
			return e->status;
	}
	for (size_t i = 0; all_given && i < p->n_dims; i++) {
		const struct dimension *d = &p->dims[i];
		char own[32];

		if (d->value.kind == VALUE_BOOL || find_value(x, d->name, false, 0))
			continue;
		(void)value_print(d->value, own, sizeof own);
		return asc_err_set(e, ASC_USAGE,
				   "--dims: %s is not given; --problem NAME takes it from a "
				   "problem of the file (%s has %s)",
				   d->name, p->name, own);
	}
	return ASC_OK;
}

enum asc_status problem_sizes_choose(struct problem_sizes *s, struct workload *w,
				     const struct target *t, struct problem_choice *choice,
				     struct asc_err *e)
{
	const size_t n = w->n_problems; /* what is added stands behind them */
	bool taken = false;

	problem_sizes_fini(s);
	for (size_t i = 0; i < n; i++) {
		const struct problem *p = &w->problems[i];
		struct axes x = {0};

		/* Without names the first problem is enough: the others differ in sizes, which are
		 * given. */
		if (!target_wants(t, p, choice) || (taken && choice->n == 0))
			continue;
		taken = true;
		enum asc_status status = read_options(s, p, &x, e);

		if (status == ASC_OK)
			status = check_names(w, p, &x, choice->n == 0, e);
		if (status == ASC_OK)
			status = add_combinations(s, w, p, &x, e);
		axes_fini(&x);
		if (status)
			return status;
	}
	choice->n = 0;
	for (size_t i = 0; i < s->n; i++)
		choice->names[choice->n++] = s->names[i];
	return ASC_OK;
}

enum asc_status problem_sizes_add(struct workload *w, const struct problem *p,
				  const char *dimension, int64_t size, const struct problem **out,
				  struct asc_err *e)
{
	char *dims = str_print("%s=%" PRId64, dimension, size);
	struct axes x = {0};
	struct buf name = {0};
	enum asc_status status =
		dims ? read_option(&x, "dims", dims, NULL, dims, e) : asc_err_nomem(e);

	if (status == ASC_OK)
		status = check_names(w, p, &x, false, e);
	if (status == ASC_OK) {
		print_name(p, &x, 0, &name);
		status = buf_check(&name, e);
	}
	if (status == ASC_OK)
		status = workload_open_problem(w, buf_str(&name), out, e);
	buf_fini(&name);
	axes_fini(&x);
	free(dims);
	return status;
}
