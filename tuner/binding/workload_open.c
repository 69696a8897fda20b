#include "tuner/binding/workload_open.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/binding/binding_scope.h"

static enum asc_status open_without(const char *path, const struct buf *text,
				    const struct workload_parts *without, struct workload **out,
				    struct asc_err *e)
{
	struct workload *w = NULL;

	if (workload_parse(path, buf_str(text), text->len, without, &w, e) || binding_check(w, e)) {
		workload_close(w);
		return e->status;
	}
	*out = w;
	return ASC_OK;
}

enum asc_status workload_open_text(const char *path, const char *text, size_t len,
				   struct workload **out, struct asc_err *e)
{
	struct buf copy = {0};

	buf_add(&copy, text, len);
	enum asc_status s = buf_check(&copy, e);
	if (s == ASC_OK)
		s = open_without(path, &copy, NULL, out, e);
	buf_fini(&copy);
	return s;
}

enum asc_status workload_open(const char *path, struct workload **out, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s = file_read(path, WORKLOAD_MAX_BYTES, &text, e);
	if (s == ASC_OK)
		s = open_without(path, &text, NULL, out, e);
	buf_fini(&text);
	return s;
}

enum asc_status workload_open_known(const char *path, const char *hash, struct workload **out,
				    struct asc_err *e)
{
	struct buf text = {0};
	struct workload *w = NULL;
	enum asc_status s = file_read(path, WORKLOAD_MAX_BYTES, &text, e);

	if (s == ASC_OK)
		s = workload_parse(path, buf_str(&text), text.len, NULL, &w, e);
	buf_fini(&text);
	if (s == ASC_OK && strcmp(w->hash, hash) != 0)
		s = asc_err_set(e, ASC_INPUT, "%s was changed while it was being tuned", path);
	if (s)
		workload_close(w);
	else
		*out = w;
	return s;
}

/* ---- one fault after another ---- */

static const char *const part_names[] = {"problems[", "tensors.", "implementations[", NULL};

/* Finds the part that a message about the file `path` names; false: it is about something else. */
static bool find_part(const char *message, const char *path, char part[WORKLOAD_PART_SIZE])
{
	size_t n = strlen(path), len = 0;

	if (strncmp(message, path, n) != 0 || strncmp(message + n, ": ", 2) != 0)
		return false;
	message += n + 2;
	for (size_t i = 0; part_names[i] && len == 0; i++) {
		n = strlen(part_names[i]);
		if (strncmp(message, part_names[i], n) == 0)
			len = n + strcspn(message + n, ".[]: ");
	}
	len += len > 0 && message[len] == ']';
	if (len == 0 || len >= WORKLOAD_PART_SIZE)
		return false;
	memcpy(part, message, len);
	part[len] = '\0';
	return true;
}

/* True when a message follows from a part that was passed over: a tensor makes the parts that use
 * it wrong, any part those that name it. */
static bool is_consequence(const struct workload_parts *f, const char *part)
{
	bool tensors = false;

	for (size_t i = 0; i < f->n; i++) {
		if (strcmp(f->list[i], part) == 0)
			return true;
		tensors = tensors || strncmp(f->list[i], "tensors.", 8) == 0;
	}
	return tensors && strncmp(part, "tensors.", 8) != 0;
}

static size_t find_faults(const char *path, const struct buf *text, struct workload **out,
			  workload_fault_fn *say, void *user)
{
	struct workload_parts faults = {0};
	struct asc_err e;
	char part[WORKLOAD_PART_SIZE];

	while (open_without(path, text, &faults, out, &e) != ASC_OK) {
		const bool named = find_part(e.text, path, part);

		if (faults.n > 0 && (!named || is_consequence(&faults, part)))
			return faults.n;
		say(user, e.text);
		if (!named || faults.n == WORKLOAD_MAX_PARTS - 1)
			return faults.n + 1;
		memcpy(faults.list[faults.n++], part, sizeof part);
	}
	if (faults.n > 0) {
		workload_close(*out);
		*out = NULL;
	}
	return faults.n;
}

size_t workload_open_checked(const char *path, struct workload **out, workload_fault_fn *say,
			     void *user)
{
	struct buf text = {0};
	struct asc_err e;
	size_t faults = 1;

	*out = NULL;
	if (file_read(path, WORKLOAD_MAX_BYTES, &text, &e) == ASC_OK)
		faults = find_faults(path, &text, out, say, user);
	else
		say(user, e.text);
	buf_fini(&text);
	return faults;
}
