#include "tuner/build/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/build/builders.h"

const struct builder_ops *const builder_list[] = {&builder_cc, &builder_nvrtc, &builder_vendor,
						  NULL};

const struct builder_ops *builder_find(const char *name)
{
	for (size_t i = 0; builder_list[i]; i++)
		if (strcmp(builder_list[i]->name, name) == 0)
			return builder_list[i];
	return NULL;
}

bool builder_serves(const struct builder_ops *b, const char *device)
{
	size_t i = 0;

	while (b->devices[i] && strcmp(b->devices[i], device) != 0)
		i++;
	return b->devices[i] != NULL;
}

void build_command_init(struct build_command *c)
{
	*c = (struct build_command){0};
}

void build_command_fini(struct build_command *c)
{
	for (size_t i = 0; i < c->argc; i++)
		free(c->argv[i]);
	free(c->input);
	build_command_init(c);
}

enum asc_status build_command_add(struct build_command *c, struct asc_err *e, const char *format,
				  ...)
{
	va_list args;

	if (c->argc + 1 >= BUILD_MAX_ARGV)
		return asc_err_set(e, ASC_LIMIT, "a compiler command has more than %d arguments",
				   BUILD_MAX_ARGV - 1);
	va_start(args, format);
	int n = vasprintf(&c->argv[c->argc], format, args);
	va_end(args);
	if (n < 0) {
		c->argv[c->argc] = NULL;
		return asc_err_nomem(e);
	}
	c->argv[++c->argc] = NULL;
	return ASC_OK;
}
