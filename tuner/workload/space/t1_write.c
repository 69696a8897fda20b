#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/expr/expr.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/space/t1.h"

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* ---- names: parameters are variables, everything else is worked out ---- */

static bool resolve(const void *user, const char *call, const char *name, struct expr_binding *out)
{
	const struct space_spec *spec = user;

	for (size_t i = 0; !call && i < spec->n_params; i++)
		if (strcmp(spec->params[i].name, name) == 0) {
			*out = (struct expr_binding){.kind = EXPR_SLOT, .slot = i};
			return true;
		}
	return spec->outer.resolve && spec->outer.resolve(spec->outer.user, call, name, out);
}

static struct expr_scope scope_of(const struct space_spec *spec)
{
	return (struct expr_scope){.resolve = resolve, .user = spec};
}

/* ---- parameters ---- */

/* Value as Kernel Tuner reads it, which has no bool: truth values become 0 and 1, which conditions
 * cannot tell apart. */
static struct value number(struct value v)
{
	return v.kind == VALUE_BOOL ? value_int(v.i) : v;
}

static const char *type_of(const struct space_param *p)
{
	if (p->values[0].kind == VALUE_TEXT)
		return "string";
	for (size_t i = 0; i < p->n; i++)
		if (p->values[i].kind == VALUE_REAL)
			return "float";
	return "int";
}

/* Finds the valid configuration nearest to the parameters' own defaults, which may be invalid
 * together; without one, these. */
static enum asc_status find_defaults(const struct space_spec *spec, struct config *out,
				     struct asc_err *e)
{
	struct space *s = NULL;
	uint64_t index;
	const enum asc_status status = space_new(spec, &s, e);

	for (size_t i = 0; i < spec->n_params; i++)
		out->values[i] = spec->params[i].default_value;
	if (status == ASC_OK && space_default(s, &index))
		space_get(s, index, out);
	space_free(s);
	/* A space that is too large to build can be written all the same, with the stated
	 * defaults. */
	return status == ASC_LIMIT ? ASC_OK : status;
}

static void write_parameter(struct json_writer *w, const struct space_param *p,
			    struct value default_value)
{
	struct buf values = {0};
	char text[64];

	for (size_t i = 0; i < p->n; i++) {
		value_print(number(p->values[i]), text, sizeof text);
		const char *quote = p->values[i].kind == VALUE_TEXT ? "'" : "";

		buf_print(&values, "%s%s%s%s", i ? ", " : "[", quote, text, quote);
	}
	buf_add_char(&values, ']');
	json_write_begin(w, NULL, '{');
	json_write_string(w, "Name", p->name);
	json_write_string(w, "Type", type_of(p));
	json_write_string(w, "Values", buf_str(&values));
	json_write_value(w, "Default", number(default_value));
	json_write_end(w, '}');
	w->out->failed |= values.failed;
	buf_fini(&values);
}

/* ---- conditions ---- */

static void write_condition(struct json_writer *w, const struct space_spec *spec,
			    const struct expr *x, const char *text)
{
	const size_t *slots;
	size_t n = expr_slots(x, &slots);

	json_write_begin(w, NULL, '{');
	json_write_string(w, "Expression", text);
	json_write_begin(w, "Parameters", '[');
	for (size_t i = 0; i < n; i++)
		json_write_string(w, NULL, spec->params[slots[i]].name);
	json_write_end(w, ']');
	json_write_end(w, '}');
}

/* True for a condition to be joined with another: Kernel Tuner's parser takes every word of a plain
 * comparison for a parameter, "min" and "if" too; operands of `and` or `or` it hands to Python as
 * they are. */
static bool needs_joining(const struct space_spec *spec, const char *text)
{
	bool other = false;

	if (strstr(text, " and ") || strstr(text, " or "))
		return false;
	while (*text && !other) {
		size_t n = strspn(text, WORD);

		/* A word that begins with a digit is a number. */
		other = n > 0 && !(*text >= '0' && *text <= '9');
		for (size_t i = 0; other && i < spec->n_params; i++)
			other = strlen(spec->params[i].name) != n ||
				strncmp(spec->params[i].name, text, n) != 0;
		text += n ? n : 1;
	}
	return other;
}

static enum asc_status add_condition(struct json_writer *w, const struct space_spec *spec,
				     const struct space_condition *c, struct asc_err *e)
{
	const struct expr_scope scope = scope_of(spec);
	struct buf text = {0};
	struct expr *x = NULL;
	struct value v;

	if (expr_compile(c->text, &scope, &x, e))
		return asc_err_wrap(e, "%s", c->origin);
	enum asc_status status = ASC_OK;

	/* A condition that always holds here says nothing about the space. */
	if (!expr_is_unknown(x) && !(expr_is_constant(x, &v) && value_truth(v))) {
		status = expr_print_plain(c->text, &scope, &text, e);
		if (status == ASC_OK && needs_joining(spec, buf_str(&text)))
			buf_add_str(&text, " and True");
		if (status == ASC_OK)
			write_condition(w, spec, x, buf_str(&text));
	}
	expr_free(x);
	buf_fini(&text);
	return status ? asc_err_wrap(e, "%s", c->origin) : ASC_OK;
}

/* ---- the kernel ---- */

static enum asc_status write_sizes(struct json_writer *w, const char *key,
				   const struct space_spec *spec, const char *const sizes[3],
				   struct asc_err *e)
{
	static const char *const axes[] = {"X", "Y", "Z"};
	const struct expr_scope scope = scope_of(spec);

	json_write_begin(w, key, '{');
	for (size_t i = 0; i < 3; i++) {
		struct buf text = {0};
		enum asc_status status =
			expr_print_plain(sizes[i] ? sizes[i] : "1", &scope, &text, e);

		if (status == ASC_OK)
			json_write_string(w, axes[i], buf_str(&text));
		buf_fini(&text);
		if (status != ASC_OK)
			return asc_err_wrap(e, "%s.%s", key, axes[i]);
	}
	json_write_end(w, '}');
	return ASC_OK;
}

static enum asc_status write_kernel(struct json_writer *w, const struct space_spec *spec,
				    const struct t1_kernel *k, struct asc_err *e)
{
	json_write_string(w, "Language", k->language);
	json_write_string(w, "KernelName", k->name);
	json_write_string(w, "KernelFile", k->file);
	json_write_begin(w, "Device", '{');
	json_write_string(w, "Name", k->device);
	json_write_end(w, '}');
	json_write_string(w, "GlobalSizeType", "CUDA"); /* blocks, not threads */
	return write_sizes(w, "GlobalSize", spec, k->global, e)
		       ? e->status
		       : write_sizes(w, "LocalSize", spec, k->local, e);
}

/* The format describes one kernel: that is the first, and all stand in a member of our own. */
static enum asc_status write_kernels(struct json_writer *w, const struct space_spec *spec,
				     const struct t1_kernel *kernels, size_t n, struct asc_err *e)
{
	json_write_begin(w, "KernelSpecification", '{');
	if (write_kernel(w, spec, kernels, e))
		return e->status;
	if (n > 1)
		json_write_begin(w, "Calls", '[');
	for (size_t i = 0; n > 1 && i < n; i++) {
		json_write_begin(w, NULL, '{');
		if (write_kernel(w, spec, &kernels[i], e))
			return e->status;
		json_write_end(w, '}');
	}
	if (n > 1)
		json_write_end(w, ']');
	json_write_end(w, '}');
	return ASC_OK;
}

enum asc_status t1_write(struct json_writer *w, const char *name, const struct space_spec *spec,
			 const struct t1_kernel *kernels, size_t n, struct asc_err *e)
{
	struct config defaults;

	if (find_defaults(spec, &defaults, e))
		return e->status;
	json_write_begin(w, NULL, '{');
	json_write_begin(w, "General", '{');
	json_write_int(w, "FormatVersion", 1);
	json_write_string(w, "BenchmarkName", name);
	json_write_string(w, "TimeUnit", "Milliseconds");
	json_write_string(w, "OutputFormat", "JSON");
	json_write_end(w, '}');
	json_write_begin(w, "ConfigurationSpace", '{');
	json_write_begin(w, "TuningParameters", '[');
	for (size_t i = 0; i < spec->n_params; i++)
		write_parameter(w, &spec->params[i], defaults.values[i]);
	json_write_end(w, ']');
	json_write_begin(w, "Conditions", '[');
	for (size_t i = 0; i < spec->n_conditions; i++)
		if (add_condition(w, spec, &spec->conditions[i], e))
			return e->status;
	json_write_end(w, ']');
	json_write_end(w, '}');
	if (write_kernels(w, spec, kernels, n, e))
		return e->status;
	json_write_end(w, '}');
	return buf_check(w->out, e);
}
