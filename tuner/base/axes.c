#include "tuner/base/axes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"

static enum asc_status begin_axis(struct axes *x, const char *option, const char *name,
				  struct asc_err *e)
{
	for (size_t i = 0; i < x->n; i++)
		if (strcmp(x->list[i].name, name) == 0)
			return asc_err_set(e, ASC_USAGE, "--%s: %s is given twice", option, name);
	if (x->n == AXES_MAX)
		return asc_err_set(e, ASC_USAGE, "--%s: at most %d names", option, AXES_MAX);
	x->list[x->n++] = (struct axis){.option = option, .name = name};
	return ASC_OK;
}

enum asc_status axes_read(struct axes *x, const char *option, const char *text, const char *unnamed,
			  const char *example, struct asc_err *e)
{
	const size_t first = x->n;
	char *part = str_dup(text), *rest;

	assert(x->n_texts < AXES_MAX_TEXTS);
	if (!part)
		return asc_err_nomem(e);
	x->texts[x->n_texts++] = part;
	/* A comma stands between values and between names: NAME= begins the next axis. */
	for (; part; part = rest) {
		rest = strchr(part, ',');
		if (rest)
			*rest++ = '\0';
		char *equals = strchr(part, '=');

		if (equals)
			*equals = '\0';
		if (equals || (x->n == first && unnamed)) {
			if (begin_axis(x, option, equals ? part : unnamed, e))
				return e->status;
		} else if (x->n == first) {
			return asc_err_set(e, ASC_USAGE, "--%s: \"%s\" names nothing, expected %s",
					   option, part, example);
		}
		struct axis *a = &x->list[x->n - 1];

		if (a->n == AXES_MAX_VALUES)
			return asc_err_set(e, ASC_USAGE, "--%s: %s: at most %d values", option,
					   a->name, AXES_MAX_VALUES);
		a->values[a->n++] = equals ? equals + 1 : part;
	}
	return ASC_OK;
}

void axes_fini(struct axes *x)
{
	for (size_t i = 0; i < x->n_texts; i++)
		free(x->texts[i]);
	*x = (struct axes){0};
}
