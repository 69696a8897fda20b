#include "tuner/build/builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/build/build_request.h"
#include "tuner/workload/sources/sources.h"

const struct builder_ops *const builder_list[] = {
	&builder_cc,   &builder_nvrtc,  &builder_triton, &builder_triton_npu,
	&builder_twin, &builder_vendor, &builder_python, NULL};

static bool serves(const struct builder_ops *b, const char *device)
{
	size_t i = 0;

	while (b->devices[i] && strcmp(b->devices[i], device) != 0)
		i++;
	return b->devices[i] != NULL;
}

const struct builder_ops *builder_find(const char *language, const char *device)
{
	for (size_t i = 0; builder_list[i]; i++)
		if (strcmp(builder_list[i]->name, language) == 0 &&
		    (!device || serves(builder_list[i], device)))
			return builder_list[i];
	return NULL;
}

bool builder_is_usable(const struct builder_ops *b, char *text, size_t size)
{
	struct buf identity = {0};
	struct asc_err e;
	const bool usable = b->toolchain(&identity, &e) == ASC_OK;

	snprintf(text, size, "%s", usable ? buf_str(&identity) : e.text);
	buf_fini(&identity);
	return usable;
}

/* The words of a command that decide its result, as keys have them. */
static void list_options(const struct builder_ops *b, const struct build_request *r,
			 struct build_command *c)
{
	struct build_request keyed = *r;

	for (size_t i = 0; i < r->n_flags; i++)
		if (r->keyed[i])
			keyed.flags[i] = r->keyed[i];
	build_command_init(c);
	b->options(&keyed, c);
}

static void hash_options(const struct builder_ops *b, const struct build_request *r, struct hash *h)
{
	struct build_command c;

	/* All of the command that names no file: where it is built decides nothing. */
	list_options(b, r, &c);
	for (size_t i = 0; i < c.argc; i++)
		hash_add_str(h, c.argv[i]);
	hash_add_str(h, c.input);
	if (!h->failure.status)
		(void)build_command_check(&c, &h->failure);
	build_command_fini(&c);
}

void builder_hash_source(const struct builder_ops *b, const struct build_request *r, struct hash *h)
{
	const char *digest = NULL;

	if (!b->digest)
		sources_hash(r->source, (const char *const *)r->flags, h);
	else if (!h->failure.status && b->digest(r, &digest, &h->failure) == ASC_OK) {
		hash_add_str(h, digest);
		hash_add_str(h, r->entry);
	}
}

void builder_hash(const struct builder_ops *b, const struct build_request *r, struct hash *h)
{
	if (!h->failure.status && build_request_check(r, &h->failure))
		return;
	if (b->key) {
		b->key(r, h);
		return;
	}
	struct buf toolchain = {0};

	if (!h->failure.status && b->toolchain(&toolchain, &h->failure) == ASC_OK)
		hash_add_str(h, buf_str(&toolchain));
	buf_fini(&toolchain);
	hash_add_str(h, r->arch);
	builder_hash_source(b, r, h);
	if (!r->shared)
		hash_options(b, r, h);
}

enum asc_status builder_write_sources(const struct builder_ops *b, const struct build_request *r,
				      const char *folder, struct json_writer *out,
				      struct asc_err *e)
{
	const char *digest;

	if (!b->digest)
		return sources_write(r->source, (const char *const *)r->flags, folder, out, e);
	if (b->digest(r, &digest, e))
		return e->status;
	json_write_begin(out, NULL, '{');
	json_write_string(out, r->source, digest);
	json_write_end(out, '}');
	return ASC_OK;
}

enum asc_status builder_write_options(const struct builder_ops *b, const struct build_request *r,
				      struct json_writer *out, struct asc_err *e)
{
	struct build_command c;

	list_options(b, r, &c);
	for (size_t i = 0; i < c.argc; i++)
		json_write_string(out, NULL, c.argv[i]);
	const enum asc_status s = build_command_check(&c, e);

	build_command_fini(&c);
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

void build_command_add(struct build_command *c, const char *format, ...)
{
	va_list args;

	if (c->failure.status)
		return;
	if (c->argc + 1 >= BUILD_MAX_ARGV) {
		asc_err_set(&c->failure, ASC_LIMIT, "a compiler command has more than %d arguments",
			    BUILD_MAX_ARGV - 1);
		return;
	}
	va_start(args, format);
	int n = vasprintf(&c->argv[c->argc], format, args);
	va_end(args);
	if (n < 0)
		asc_err_nomem(&c->failure);
	else
		c->argc++;
	c->argv[c->argc] = NULL;
}

void build_command_add_list(struct build_command *c, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		build_command_add(c, "%s", words[i]);
}

enum asc_status build_command_check(const struct build_command *c, struct asc_err *e)
{
	if (c->failure.status)
		*e = c->failure;
	return c->failure.status;
}
