#include "tuner/build/macros.h"

#include <stdio.h>
#include <string.h>

#include "tuner/build/builder.h"

enum { NAME_SIZE = 300 };

enum asc_status macros_check_name(const char *what, const char *name, struct asc_err *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char rest[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	if (!name || strspn(name, letters) == 0 || name[strspn(name, rest)])
		return asc_err_set(e, ASC_INPUT, "%s \"%s\" is not an identifier of C", what,
				   name ? name : "");
	return ASC_OK;
}

static enum asc_status add(const struct macro_sink *sink, const char *prefix, const char *name,
			   const char *value, struct asc_err *e)
{
	char whole[NAME_SIZE];

	if (snprintf(whole, sizeof whole, "%s%s", prefix, name) >= NAME_SIZE)
		return asc_err_set(e, ASC_LIMIT, "the name \"%s\" is longer than %d characters",
				   name, NAME_SIZE);
	return sink->add(sink->to, whole, value, e);
}

static enum asc_status add_dtype(const struct dtype_variable *v, const struct macro_sink *sink,
				 struct asc_err *e)
{
	char number[NAME_SIZE];

	if (macros_check_name("dtype variable", v->name, e))
		return e->status;
	snprintf(number, sizeof number, "DTYPE_%s", dtype_name(v->dtype));
	if (add(sink, "DTYPE_", v->name, number, e))
		return e->status;
	return add(sink, "CTYPE_", v->name, sink->ctype(v->dtype), e);
}

static enum asc_status add_dtypes(const struct problem *p, const struct macro_sink *sink,
				  struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	char number[12];

	for (int t = 0; t < DTYPE_COUNT && s == ASC_OK; t++) {
		snprintf(number, sizeof number, "%d", t);
		s = add(sink, "DTYPE_", dtype_name((enum dtype)t), number, e);
	}
	for (size_t i = 0; i < p->n_dtypes && s == ASC_OK; i++)
		s = add_dtype(&p->dtypes[i], sink, e);
	return s;
}

static bool is_launch_stage(const struct implementation *i, const char *name)
{
	for (size_t k = 0; k < i->n_parameters; k++)
		if (strcmp(i->parameters[k].name, name) == 0)
			return i->parameters[k].stage == STAGE_LAUNCH;
	return false;
}

static enum asc_status add_parameter(const struct macro_sink *sink, const char *name,
				     struct value v, struct asc_err *e)
{
	char text[40];

	if (macros_check_name("parameter", name, e))
		return e->status;
	if (v.kind == VALUE_BOOL)
		v.kind = VALUE_INT;
	value_print(v, text, sizeof text);
	return add(sink, "", name, text, e);
}

enum asc_status macros_each(const struct build_job *job, const struct macro_sink *sink,
			    struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	if (job->implementation)
		s = add_dtypes(job->binding->problem, sink, e);
	if (!job->implementation || !job->config)
		return s;
	for (size_t i = 0; i < job->config->n && s == ASC_OK; i++)
		if (!is_launch_stage(job->implementation, job->names[i]))
			s = add_parameter(sink, job->names[i], job->config->values[i], e);
	return s;
}
