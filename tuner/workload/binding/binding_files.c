#include "tuner/workload/binding/binding_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/tensor_file.h"
#include "tuner/workload/binding/binding_digests.h"
#include "tuner/workload/binding/binding_scope.h"

/* ---- one content ---- */

/* Place of a content, as the workload states it. */
struct place {
	const char *file; /* NULL: nowhere */
	char member[96];  /* an identifier of 64 letters, and ":out" */
	const struct json_node *node;
};

static void find_place(const struct binding *b, size_t set, size_t i, enum content what,
		       struct place *out)
{
	const struct tensor *t = &b->workload->tensors[i];
	const struct input_set *s = set < b->problem->n_sets ? &b->problem->sets[set] : NULL;
	const struct fill *f = &t->fill;

	*out = (struct place){0};
	if (!b->tensors[i].present || b->tensors[i].hidden)
		return;
	if (what == CONTENT_AFTER) {
		/* Recorded outputs belong to the recorded inputs. */
		if (t->role != ROLE_IN && s && !s->fresh)
			*out = (struct place){.file = s->file, .node = s->node};
		(void)snprintf(out->member, sizeof out->member, "%s:out", t->name);
		return;
	}
	if (t->role == ROLE_OUT || f->kind != FILL_FILE)
		return;
	if (f->file)
		*out = (struct place){.file = f->file, .node = json_find(f->node, "file")};
	else if (s)
		*out = (struct place){.file = s->file, .node = s->node};
	(void)snprintf(out->member, sizeof out->member, "%s", f->member ? f->member : t->name);
}

/* Opens a file, unless it is the open one. */
static enum asc_status open_file(struct binding_files *f, const char *file, struct asc_err *e)
{
	char *path = path_join(f->binding->workload->folder, file);

	if (!path)
		return asc_err_nomem(e);
	if (f->path && strcmp(f->path, path) == 0) {
		free(path);
		return ASC_OK;
	}
	binding_files_close(f);
	if (tensor_file_open(path, &f->file, e)) {
		free(path);
		return e->status;
	}
	f->path = path;
	return ASC_OK;
}

void binding_files_close(struct binding_files *f)
{
	tensor_file_close(f->file);
	free(f->path);
	f->file = NULL;
	f->path = NULL;
}

enum asc_status binding_files_find(struct binding_files *f, size_t set, size_t i, enum content what,
				   const struct tensor_member **out, struct asc_err *e)
{
	const struct bound_tensor *t = &f->binding->tensors[i];
	struct place p;

	*out = NULL;
	find_place(f->binding, set, i, what, &p);
	if (!p.file || open_file(f, p.file, e))
		return p.file ? e->status : ASC_OK;
	const struct tensor_member *m = tensor_file_find(f->file, p.member);

	if (!m && what == CONTENT_AFTER)
		return ASC_OK;
	if (!m)
		return asc_err_set(e, ASC_INPUT, "%s: has no tensor %s", f->path, p.member);
	/* A reference in doubles holds more than the tensor does. */
	const enum dtype type =
		what == CONTENT_AFTER && m->known && m->dtype == DTYPE_F64 ? DTYPE_F64 : t->dtype;

	if (tensor_file_check(f->file, m, type, t->shape, t->rank, e))
		return e->status;
	*out = m;
	return ASC_OK;
}

enum asc_status binding_files_read(struct binding_files *f, size_t set, size_t i, enum content what,
				   const struct tensor_member *m, void *to, struct asc_err *e)
{
	const char *known = binding_digest(f->binding, set, i, what);
	char digest[HASH_TEXT_SIZE];

	if (tensor_file_read(f->file, m, to, digest, e))
		return e->status;
	if (*known && strcmp(known, digest) != 0)
		return asc_err_set(e, ASC_INPUT, "%s was changed while it was being tuned",
				   f->path);
	return ASC_OK;
}

/* ---- all contents ---- */

enum asc_status binding_check_files(const struct binding *b, struct asc_err *e)
{
	struct binding_files f = {.binding = b};
	const struct tensor_member *m;
	enum asc_status s = ASC_OK;

	/* Set by set, so that each file is opened once. */
	for (size_t k = 0; k < binding_count_digests(b) && !s && binding_has_files(b); k++) {
		const size_t set = k / CONTENTS / b->workload->n_tensors;
		const size_t i = k / CONTENTS % b->workload->n_tensors;
		struct asc_err why;
		struct place p;

		find_place(b, set, i, k % CONTENTS, &p);
		if (!p.file)
			continue;
		const struct json_node *sets = json_find(b->problem->node, "sets");
		const struct json_node *fill = b->workload->tensors[i].fill.node;

		/* Behind a fault of the list or of the fill it is unknown what a file has to hold.
		 */
		if (!json_is_sound(p.node) || (sets && json_is_faulty(sets)) ||
		    (fill && !json_is_sound(fill)) ||
		    !binding_files_find(&f, set, i, k % CONTENTS, &m, &why))
			continue;
		s = why.status == ASC_NOMEM ? asc_err_nomem(e)
					    : json_fail(p.node, e, "%s", why.text);
		if (!json_ends(p.node, s))
			s = ASC_OK;
	}
	binding_files_close(&f);
	return s;
}

/* Sets the key anew, with the digests. */
static enum asc_status seal(struct binding *b, struct asc_err *e)
{
	struct binding_scope scope;
	enum asc_status s = binding_scope_init(&scope, b, NULL, e);

	scope.of_problem = true;
	scope.n_tensors = b->workload->n_tensors; /* all of them are bound */
	if (!s)
		s = binding_seal(b, &scope, e);
	binding_scope_fini(&scope);
	return s;
}

static enum asc_status make_room(struct binding *b, struct asc_err *e)
{
	free(b->digests);
	b->digests = calloc(binding_count_digests(b) + 1, sizeof *b->digests);
	return b->digests ? ASC_OK : asc_err_nomem(e);
}

enum asc_status binding_read_files(struct binding *b, struct asc_err *e)
{
	struct binding_files f = {.binding = b};
	const struct tensor_member *m;
	enum asc_status s = ASC_OK;

	if (!binding_has_files(b))
		return ASC_OK;
	if (make_room(b, e))
		return e->status;
	for (size_t k = 0; k < binding_count_digests(b) && !s; k++) {
		const size_t set = k / CONTENTS / b->workload->n_tensors;
		const size_t i = k / CONTENTS % b->workload->n_tensors;

		if (binding_digest_place(b, set, i, k % CONTENTS) != k)
			continue;
		s = binding_files_find(&f, set, i, k % CONTENTS, &m, e);
		if (!s && m)
			s = tensor_file_read(f.file, m, NULL, b->digests[k], e);
	}
	binding_files_close(&f);
	return s ? s : seal(b, e);
}

enum asc_status binding_take_digests(struct binding *b, const struct json_node *list,
				     struct asc_err *e)
{
	const char *text = "";
	size_t k = 0;

	if (!binding_has_files(b))
		return ASC_OK;
	if (json_count(list) != binding_count_digests(b))
		return asc_err_set(e, ASC_PROTOCOL, "%zu digests of %zu contents", json_count(list),
				   binding_count_digests(b));
	if (make_room(b, e))
		return e->status;
	for (const struct json_node *n = json_first(list); n; n = json_next(n), k++) {
		if (json_get_string(n, &text, e))
			return e->status;
		(void)snprintf(b->digests[k], sizeof b->digests[k], "%s", text);
	}
	return seal(b, e);
}
