#include "tuner/device/device_environment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/device/device.h"
#include "tuner/process/proc.h"
#include "tuner/process/proc_apart.h"

enum asc_status device_environment(const struct device_ops *ops, const char *place,
				   struct device_environment *out, struct asc_err *e)
{
	*out = (struct device_environment){0};
	if (!ops->environment || ops->environment(place, out, e) == ASC_OK)
		return ASC_OK;
	device_environment_fini(out);
	return e->status;
}

void device_environment_fini(struct device_environment *d)
{
	for (size_t i = 0; i < DEVICE_MAX_VARIABLES; i++)
		free(d->variables[i]);
	for (size_t i = 0; i < DEVICE_MAX_READS; i++)
		free(d->reads[i]);
	*d = (struct device_environment){0};
}

enum asc_status device_ask(const struct device_ops *ops, const char *place, const char *const *argv,
			   void *answer, size_t size, struct asc_err *e)
{
	const char *variables[DEVICE_MAX_VARIABLES + 1];
	struct device_environment d;
	const struct proc_options options = {
		.argv = argv, .variables = variables, .quiet = true, .channel = true};

	if (device_environment(ops, place, &d, e))
		return asc_err_wrap(e, "%s%s%s", ops->name, *place ? ":" : "", place);
	for (size_t i = 0; i <= DEVICE_MAX_VARIABLES; i++)
		variables[i] = d.variables[i];
	const enum asc_status s =
		proc_apart_program(&options, answer, size, PROC_APART_DRIVER_NS, e);

	device_environment_fini(&d);
	return s;
}

/* Puts a heap string, NULL where memory was short, into a list with room for `most` and a NULL. */
static enum asc_status put(char **list, size_t most, char *text, struct asc_err *e)
{
	size_t n = 0;

	while (n < most && list[n])
		n++;
	if (!text)
		return asc_err_nomem(e);
	if (n < most) {
		list[n] = text;
		return ASC_OK;
	}
	free(text);
	return asc_err_set(e, ASC_LIMIT, "more than %zu entries in the environment of a device",
			   most);
}

enum asc_status device_environment_set(struct device_environment *d, struct asc_err *e,
				       const char *format, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return put(d->variables, DEVICE_MAX_VARIABLES, text, e);
}

enum asc_status device_environment_read(struct device_environment *d, const char *folder,
					struct asc_err *e)
{
	return put(d->reads, DEVICE_MAX_READS, str_dup(folder), e);
}
