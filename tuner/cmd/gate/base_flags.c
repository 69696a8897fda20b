#include "tuner/cmd/gate/base_flags.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/tune/commit_reach.h"
#include "tuner/workload/workload.h"

static bool is_path_character(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_./-", c));
}

/* Appends a text with the base's folder wherever it has the checkout's, alone or with what is below
 * it. */
static void add_moved(const struct base_checkout *c, const char *text, struct buf *out)
{
	const char *root = c->repository.root, *from = text;
	const size_t n = strlen(root);

	for (const char *at = strstr(from, root); at; at = strstr(at + 1, root)) {
		if ((at > text && is_path_character(at[-1])) ||
		    (at[n] != '/' && is_path_character(at[n])))
			continue;
		buf_add(out, from, (size_t)(at - from));
		buf_add_str(out, c->scratch);
		from = at + n;
	}
	buf_add_str(out, from);
}

/* Appends a path as the base has it, where it leads into the checkout; else as it is. */
static void add_path(const struct base_checkout *c, const char *path, struct buf *out)
{
	char *there = file_exists(path) || dir_exists(path) ? base_checkout_path(c, path) : NULL;

	if (there)
		buf_add_str(out, there);
	else
		add_moved(c, path, out);
	free(there);
}

/* Appends a flag; `before`: the flag in front of it, whose value it may be, or NULL. */
static void add_flag(const struct base_checkout *c, const char *flag, const char *before,
		     struct buf *out)
{
	const size_t prefix = commit_reach_flag(flag);

	if (before && commit_reach_flag(before) > 0 && !before[commit_reach_flag(before)]) {
		add_path(c, flag, out);
	} else if (prefix > 0 && flag[prefix]) {
		buf_add(out, flag, prefix);
		add_path(c, flag + prefix, out);
	} else {
		add_moved(c, flag, out);
	}
}

static enum asc_status move_call(const struct base_checkout *c, struct callable *call,
				 struct asc_err *e)
{
	struct name_list *flags = &call->flags;
	const char **moved =
		flags->n ? json_alloc(call->node, (flags->n + 1) * sizeof *moved) : NULL;
	struct buf flag = {0};

	if (flags->n == 0)
		return ASC_OK;
	if (!moved)
		return asc_err_nomem(e);
	for (size_t i = 0; i < flags->n; i++) {
		buf_clear(&flag);
		add_flag(c, flags->names[i], i > 0 ? flags->names[i - 1] : NULL, &flag);
		char *copy = flag.failed ? NULL : json_alloc(call->node, flag.len + 1);

		if (!copy) {
			buf_fini(&flag);
			return asc_err_nomem(e);
		}
		memcpy(copy, buf_str(&flag), flag.len + 1);
		moved[i] = copy;
	}
	moved[flags->n] = NULL;
	flags->names = moved;
	buf_fini(&flag);
	return ASC_OK;
}

enum asc_status base_flags_move(const struct base_checkout *c, struct workload *w,
				struct asc_err *e)
{
	for (size_t i = 0; i < w->n_implementations; i++)
		for (size_t k = 0; k < w->implementations[i].n_calls; k++)
			if (move_call(c, &w->implementations[i].calls[k], e))
				return e->status;
	return ASC_OK;
}
