#include "tuner/build/build_request.h"

#include <stdlib.h>

#include "tuner/base/buf.h"

/* A copy that the request owns; NULL for NULL. */
static char *copy(struct build_request *r, const char *text)
{
	char *own = text ? str_dup(text) : NULL;

	if (text && !own)
		asc_err_nomem(&r->failure);
	return own;
}

/* True when there is room for another of `what`, and nothing has failed. */
static bool has_room(struct build_request *r, size_t n, size_t most, const char *what)
{
	if (n >= most && !r->failure.status)
		asc_err_set(&r->failure, ASC_LIMIT, "%s: more than %zu %s", r->source, most, what);
	return !r->failure.status;
}

void build_request_init(struct build_request *r, const char *source, const char *entry,
			const char *arch, const char *program)
{
	*r = (struct build_request){0};
	r->source = copy(r, source);
	r->entry = copy(r, entry);
	r->arch = copy(r, arch);
	r->program = copy(r, program);
}

void build_request_fini(struct build_request *r)
{
	free(r->source);
	free(r->entry);
	free(r->arch);
	free(r->program);
	free(r->within);
	for (size_t i = 0; i < r->n_flags; i++) {
		free(r->flags[i]);
		free(r->keyed[i]);
	}
	for (size_t i = 0; i < r->n_defines; i++) {
		free(r->defines[i].name);
		free(r->defines[i].value);
	}
	for (size_t i = 0; i < r->n_arguments; i++)
		free(r->arguments[i].words);
	*r = (struct build_request){0};
}

void build_request_confine(struct build_request *r, const char *folder)
{
	free(r->within);
	r->within = copy(r, folder);
}

void build_request_add_flag(struct build_request *r, const char *flag)
{
	if (has_room(r, r->n_flags, BUILD_MAX_FLAGS, "flags"))
		r->flags[r->n_flags++] = copy(r, flag);
}

void build_request_key_flag(struct build_request *r, const char *keyed)
{
	if (!r->failure.status && r->n_flags > 0)
		r->keyed[r->n_flags - 1] = copy(r, keyed);
}

void build_request_define(struct build_request *r, const char *name, const char *value)
{
	if (!has_room(r, r->n_defines, BUILD_MAX_DEFINES, "macros"))
		return;
	if (str_is_identifier(name))
		r->defines[r->n_defines++] = (struct build_define){copy(r, name), copy(r, value)};
	else
		asc_err_set(&r->failure, ASC_INPUT, "the name \"%s\" is not an identifier of C",
			    name);
}

void build_request_add(struct build_request *r, const struct build_argument *a)
{
	struct build_argument *own = &r->arguments[r->n_arguments];

	if (!has_room(r, r->n_arguments, BUILD_MAX_ARGUMENTS, "arguments"))
		return;
	*own = *a;
	own->words = copy(r, a->words);
	r->n_arguments++;
}

enum asc_status build_request_check(const struct build_request *r, struct asc_err *e)
{
	if (r->failure.status)
		*e = r->failure;
	return r->failure.status;
}
