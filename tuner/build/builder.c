#include "tuner/build/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
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

enum asc_status builder_hash_toolchain(const struct builder_ops *b, struct hash *h,
				       struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s = b->toolchain(&text, e);

	if (s == ASC_OK)
		hash_add_str(h, buf_str(&text));
	buf_fini(&text);
	return s;
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

void build_command_hash(const struct build_command *c, struct hash *h)
{
	for (size_t i = 0; i < c->argc; i++)
		hash_add_str(h, c->argv[i]);
	hash_add_str(h, c->input);
}
