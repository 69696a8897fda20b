#include "tuner/binding/workload_open.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/binding/binding_scope.h"

static enum asc_status open_without(const char *path, const struct buf *text,
				    const struct workload_parts *without,
				    struct binding_faults *faults, struct workload **out,
				    struct asc_err *e)
{
	struct workload *w = NULL;

	if (workload_parse(path, buf_str(text), text->len, without, &w, e) ||
	    binding_check(w, faults, e)) {
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
		s = open_without(path, &copy, NULL, NULL, out, e);
	buf_fini(&copy);
	return s;
}

enum asc_status workload_open(const char *path, struct workload **out, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s = file_read(path, WORKLOAD_MAX_BYTES, &text, e);
	if (s == ASC_OK)
		s = open_without(path, &text, NULL, NULL, out, e);
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

enum asc_status workload_open_problem(struct workload *w, const char *name,
				      const struct problem **out, struct asc_err *e)
{
	*out = workload_find_problem(w, name);
	if (*out)
		return ASC_OK;
	if (workload_add_problem(w, name, e))
		return e->status;
	const struct problem *added = &w->problems[w->n_problems - 1];

	if (binding_check_problem(w, added, NULL, e))
		return e->status;
	*out = added;
	return ASC_OK;
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

/* Tells the faults of formulas, but for those that follow from parts that were passed over. */
static size_t say_gathered(const char *path, const struct binding_faults *f,
			   const struct workload_parts *passed_over, workload_fault_fn *say,
			   void *user)
{
	char part[WORKLOAD_PART_SIZE];
	size_t said = 0, n;

	for (const char *line = buf_str(&f->lines); *line; line += n + 1) {
		n = strcspn(line, "\n");
		char *text = str_print("%.*s", (int)n, line);
		const bool named = text && find_part(text, path, part);

		if (text &&
		    (passed_over->n == 0 || (named && !is_consequence(passed_over, part)))) {
			say(user, text);
			said++;
		}
		free(text);
	}
	return said;
}

/* Parts with faults are passed over, one after the other, to find those of the others; faults of
 * formulas are found at once. */
static size_t find_faults(const char *path, const struct buf *text, struct workload **out,
			  workload_fault_fn *say, void *user)
{
	struct workload_parts faults = {0};
	struct binding_faults gathered = {0};
	struct asc_err e;
	char part[WORKLOAD_PART_SIZE];
	bool done = false;
	size_t n = 0;

	while (!done && open_without(path, text, &faults, &gathered, out, &e) != ASC_OK) {
		const bool named = find_part(e.text, path, part);

		done = gathered.n > 0 || !named || faults.n == WORKLOAD_MAX_PARTS - 1;
		if (gathered.n > 0) {
			n += say_gathered(path, &gathered, &faults, say, user);
		} else if (faults.n > 0 && (!named || is_consequence(&faults, part))) {
			done = true;
		} else {
			say(user, e.text);
			n++;
		}
		if (!done)
			memcpy(faults.list[faults.n++], part, sizeof part);
	}
	binding_faults_fini(&gathered);
	if (n > 0) {
		workload_close(*out);
		*out = NULL;
	}
	return n;
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
