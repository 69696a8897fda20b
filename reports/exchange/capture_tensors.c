/* Tensors of a captured kernel: shapes and views, what they hold before a launch, and how far
 * outputs may differ. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/capture_draft.h"
#include "tuner/base/dtype.h"
#include "tuner/base/file.h"
#include "tuner/base/strides.h"
#include "tuner/base/tensor_file.h"
#include "tuner/workload/binding/binding.h"

/* Elements that are numbers at a time: outputs of gigabytes are read. */
enum { CHUNK = 1024 };

bool draft_is_saved(const struct capture_draft *d, size_t argument)
{
	const struct capture_problem *p = d->p[0];

	return p->n_sets > 0 && p->sets[0].file &&
	       capture_has_name(p->sets[0].before, p->arguments[argument].name);
}

/* Low, high, mean and deviation of a tensor that no file has; false: not recorded. */
static bool get_range(const struct capture_problem *p, const char *name, double out[4])
{
	const struct json_node *n = p->n_sets > 0 ? json_find(p->sets[0].ranges, name) : NULL;
	struct asc_err none;
	size_t i = 0;

	for (n = json_first(n); n && i < 4; n = json_next(n)) {
		struct value v;

		if (json_get_value(n, &v, &none))
			return false;
		out[i++] = value_as_real(v);
	}
	return i == 4;
}

/* Root mean square of an output where the launch has changed it: what it left alone may be anything
 * that the memory had. *finite is false where none of its numbers is. */
static enum asc_status read_rms(const struct capture *c, const char *file, const char *name,
				double *out, bool *finite, struct asc_err *e)
{
	char *path = path_join(c->folder, file), *after_name = str_print("%s:out", name);
	struct tensor_file *f = NULL;
	const struct tensor_member *before, *after;
	enum asc_status s = path && after_name ? tensor_file_open(path, &f, e) : asc_err_nomem(e);
	double sum = 0, all = 0, numbers[CHUNK];
	char *old = NULL, *new = NULL;
	int64_t changed = 0, n = 0;

	before = s == ASC_OK ? tensor_file_find(f, name) : NULL;
	after = s == ASC_OK ? tensor_file_find(f, after_name) : NULL;
	/* An output that no launch has changed is its content before. */
	after = after ? after : before;
	if (s == ASC_OK && after && after->known && after->count > 0) {
		const size_t bytes = dtype_bytes(after->dtype);
		const bool both = before && before != after && before->bytes == after->bytes;

		new = malloc((size_t)after->bytes);
		old = both ? malloc((size_t)after->bytes) : NULL;
		s = new && (old || !both) ? ASC_OK : asc_err_nomem(e);
		if (s == ASC_OK)
			s = tensor_file_read(f, after, new, NULL, e);
		if (s == ASC_OK && both)
			s = tensor_file_read(f, before, old, NULL, e);
		for (int64_t i = 0; i < after->count && s == ASC_OK; i++) {
			const size_t at = (size_t)i * bytes, left = (size_t)(after->count - i);
			const double *x = &numbers[i % CHUNK];

			if (i % CHUNK == 0)
				dtype_to_double(after->dtype, new + at, numbers,
						left < CHUNK ? left : CHUNK);
			if (!isfinite(*x))
				continue;
			all += *x * *x;
			n++;
			if (!both || memcmp(old + at, new + at, bytes) == 0)
				continue;
			sum += *x * *x;
			changed++;
		}
	}
	*finite = n > 0 || !after || !after->known || after->count == 0;
	*out = changed > 0 ? sqrt(sum / (double)changed) : n > 0 ? sqrt(all / (double)n) : 0;
	free(old);
	free(new);
	tensor_file_close(f);
	free(path);
	free(after_name);
	return s;
}

/* Parts of an output's root mean square by which two right configurations may differ: some five
 * roundings of the coarsest type that a kernel reads or writes, 2^-8 of bf16 and 2^-11 of f16; for
 * f32 two of the 2^-11 of products in tf32. An output in 8 bits is rounded once: two units in its
 * last place. */
static double type_factor(enum dtype t)
{
	switch (t) {
	case DTYPE_F8E5M2: return 2 * 0x1p-2;
	case DTYPE_F8E4M3: return 2 * 0x1p-3;
	case DTYPE_BF16: return 2e-2;
	case DTYPE_F16: return 2.5e-3;
	case DTYPE_F32: return 1e-3;
	default: return 1e-9;
	}
}

static double problem_factor(const struct capture_problem *p, size_t output)
{
	double factor = 0;
	enum dtype dtype;

	/* Numbers in 8 bits that a kernel reads are exact, and so are their products in f32: they
	 * coarsen another output no more than bf16 does. */
	for (size_t i = 0; i < p->n_arguments; i++)
		if (capture_is_tensor(&p->arguments[i]) &&
		    dtype_parse(p->arguments[i].type, &dtype) && dtype_is_float(dtype))
			factor = fmax(factor, type_factor(i != output && dtype_bytes(dtype) == 1
								  ? DTYPE_BF16
								  : dtype));
	return factor;
}

/* Two digits are enough for a tolerance, and can be read. */
static double shorten(double x)
{
	char text[32];

	snprintf(text, sizeof text, "%.2g", x);
	return strtod(text, NULL);
}

static enum asc_status write_verify(struct capture_draft *d, size_t argument, struct asc_err *e)
{
	const char *name = d->p[0]->arguments[argument].name;
	struct value *atol = draft_new_values(d), *rtol = draft_new_values(d);
	bool seen[DTYPE_COUNT] = {false};
	char wanted[2 * CAPTURE_MAX_NAME];
	enum dtype dtype = DTYPE_F32;

	if (!atol || !rtol)
		return asc_err_nomem(e);
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_problem *p = d->p[k];
		const double factor = problem_factor(p, argument);
		char *after = str_print("%s:out", name);
		double range[4], rms = 1; /* where nothing is known of the output */
		bool finite = true;

		if (!after)
			return asc_err_nomem(e);
		if (draft_is_saved(d, argument)) {
			if (read_rms(d->c, p->sets[0].file, name, &rms, &finite, e)) {
				free(after);
				return e->status == ASC_NOMEM ? e->status
							      : draft_give_up(d, e, "%s", e->text);
			}
		} else if (get_range(p, after, range)) {
			rms = hypot(range[2], range[3]);
		}
		free(after);
		if (!finite && !*d->form->doubt)
			snprintf(d->form->doubt, sizeof d->form->doubt,
				 "%s of p%zu has no finite number to compare with", name, k);
		/* Squares of the largest doubles are infinite, and no tolerance is. */
		atol[k] = value_real(shorten(factor * fmin(rms, DBL_MAX)));
		rtol[k] = value_real(factor);
	}
	json_write_begin(&d->w, "verify", '{');
	json_write_string(&d->w, "kind", "allclose");
	json_write_begin(&d->w, "tolerance", '{');
	for (size_t k = 0; k < d->n; k++) {
		if (!dtype_parse(d->p[k]->arguments[argument].type, &dtype) || seen[dtype])
			continue;
		seen[dtype] = true;
		json_write_begin(&d->w, dtype_name(dtype), '{');
		snprintf(wanted, sizeof wanted, "atol_%.*s", CAPTURE_MAX_NAME, name);
		if (draft_write_number(d, "atol", wanted, atol, e))
			return e->status;
		snprintf(wanted, sizeof wanted, "rtol_%.*s", CAPTURE_MAX_NAME, name);
		if (draft_write_number(d, "rtol", wanted, rtol, e))
			return e->status;
		json_write_end(&d->w, '}');
	}
	json_write_end(&d->w, '}');
	json_write_end(&d->w, '}');
	return ASC_OK;
}

static enum asc_status write_fill(struct capture_draft *d, size_t argument, bool real,
				  struct asc_err *e)
{
	static const char *const keys[2][2] = {{"low", "high"}, {"mean", "std"}};
	const struct capture_argument *a = &d->p[0]->arguments[argument];
	struct value *one = draft_new_values(d), *two = draft_new_values(d);
	char wanted[2 * CAPTURE_MAX_NAME];

	if (!one || !two)
		return asc_err_nomem(e);
	for (size_t k = 0; k < d->n && !draft_is_saved(d, argument); k++) {
		double range[4];

		if (!get_range(d->p[k], a->name, range)) {
			/* Any numbers do for a time, but integers may be places in a tensor. */
			if (!real)
				return draft_give_up(d, e, "the content of %s was not saved",
						     a->name);
			return ASC_OK;
		}
		if (!real && !(range[0] >= -CAPTURE_MOST && range[1] < CAPTURE_MOST))
			return draft_give_up(d, e,
					     "the content of %s was not saved, and it has integers "
					     "beyond 2^53",
					     a->name);
		one[k] = real ? value_real(range[2]) : value_int((int64_t)range[0]);
		/* The bound above is not reached. */
		two[k] = real ? value_real(range[3]) : value_int((int64_t)range[1] + 1);
	}
	json_write_begin(&d->w, "fill", '{');
	if (draft_is_saved(d, argument)) {
		json_write_string(&d->w, "kind", "file");
	} else {
		json_write_string(&d->w, "kind", real ? "normal" : "uniform");
		snprintf(wanted, sizeof wanted, "%s_%.*s", keys[real][0], CAPTURE_MAX_NAME,
			 a->name);
		if (draft_write_number(d, keys[real][0], wanted, one, e))
			return e->status;
		snprintf(wanted, sizeof wanted, "%s_%.*s", keys[real][1], CAPTURE_MAX_NAME,
			 a->name);
		if (draft_write_number(d, keys[real][1], wanted, two, e))
			return e->status;
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}

static bool is_contiguous(const struct capture_argument *a)
{
	int64_t wanted[WORKLOAD_MAX_RANK];

	strides_set(a->shape, a->rank, wanted);
	for (size_t i = 0; i < a->rank; i++)
		if (a->shape[i] != 1 && a->strides[i] != wanted[i])
			return false;
	return true;
}

/* Strides, place and owner of a view. */
static enum asc_status write_view(struct capture_draft *d, size_t argument, bool written,
				  struct asc_err *e)
{
	const struct capture_argument *first = &d->p[0]->arguments[argument];
	struct value *values = draft_new_values(d);
	bool contiguous = true, begins = true;
	char wanted[2 * CAPTURE_MAX_NAME];
	enum dtype dtype = DTYPE_F32;
	size_t owner = 0;

	if (!values)
		return asc_err_nomem(e);
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_argument *a = &d->p[k]->arguments[argument];

		contiguous &= is_contiguous(a);
		begins &= a->offset == 0;
		if (written && strides_overlap(a->shape, a->strides, a->rank))
			return draft_give_up(d, e, "its output %s has elements in one place",
					     a->name);
	}
	if (!contiguous) {
		json_write_begin(&d->w, "strides", '[');
		for (size_t i = 0; i < first->rank; i++) {
			for (size_t k = 0; k < d->n; k++)
				values[k] = value_int(d->p[k]->arguments[argument].strides[i]);
			snprintf(wanted, sizeof wanted, "t_%.*s_%zu", CAPTURE_MAX_NAME, first->name,
				 i);
			if (draft_write_number(d, NULL, wanted, values, e))
				return e->status;
		}
		json_write_end(&d->w, ']');
	}
	for (size_t k = 0; k < d->n; k++) {
		const struct capture_argument *a = &d->p[k]->arguments[argument];

		(void)dtype_parse(a->type, &dtype);
		values[k] = value_int(a->offset / (int64_t)dtype_bytes(dtype));
	}
	snprintf(wanted, sizeof wanted, "o_%.*s", CAPTURE_MAX_NAME, first->name);
	if (!begins && draft_write_number(d, "offset", wanted, values, e))
		return e->status;
	while (!capture_is_tensor(&d->p[0]->arguments[owner]) ||
	       d->p[0]->arguments[owner].storage != first->storage)
		owner++;
	if (owner != argument)
		json_write_string(&d->w, "shares", d->p[0]->arguments[owner].name);
	return ASC_OK;
}

enum asc_status draft_write_tensor(struct capture_draft *d, size_t argument, struct asc_err *e)
{
	const struct capture_argument *a = &d->p[0]->arguments[argument];
	const char *role = draft_find_role(d, argument), *type;
	struct value *values = draft_new_values(d);
	char wanted[2 * CAPTURE_MAX_NAME];
	enum dtype dtype = DTYPE_F32;

	json_write_begin(&d->w, a->name, '{');
	json_write_begin(&d->w, "shape", '[');
	for (size_t i = 0; i < a->rank && values; i++) {
		for (size_t k = 0; k < d->n; k++)
			values[k] = value_int(d->p[k]->arguments[argument].shape[i]);
		snprintf(wanted, sizeof wanted, "s_%.*s_%zu", CAPTURE_MAX_NAME, a->name, i);
		if (draft_write_number(d, NULL, wanted, values, e))
			return e->status;
	}
	/* None in the place of a tensor is a tensor that is absent. */
	if (a->kind == CAPTURED_NONE)
		json_write_int(&d->w, NULL, 1);
	json_write_end(&d->w, ']');
	type = a->kind == CAPTURED_NONE ? "f32" : draft_name_type(d, argument);
	if (!values || !type)
		return asc_err_nomem(e);
	json_write_string(&d->w, "dtype", type);
	json_write_string(&d->w, "role", role);
	if (a->kind == CAPTURED_NONE) {
		json_write_int(&d->w, "optional", 0);
	} else {
		(void)dtype_parse(a->type, &dtype);
		if (write_view(d, argument, strcmp(role, "in") != 0, e))
			return e->status;
		if (strcmp(role, "out") != 0 && write_fill(d, argument, dtype_is_float(dtype), e))
			return e->status;
		if (strcmp(role, "in") != 0 && dtype_is_float(dtype) &&
		    write_verify(d, argument, e))
			return e->status;
	}
	json_write_end(&d->w, '}');
	return ASC_OK;
}
