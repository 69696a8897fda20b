#include "tuner/workload/binding/workload_open.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/workload/binding/binding_scope.h"

static enum asc_status open_without(const char *path, const struct buf *text,
				    const struct workload_parts *without,
				    struct workload_faults *faults, struct workload **out,
				    struct asc_err *e)
{
	struct workload *w = NULL;

	if (workload_parse(path, buf_str(text), text->len, without, faults, &w, e) ||
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
		s = workload_parse(path, buf_str(&text), text.len, NULL, NULL, &w, e);
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

static bool has_word(const char *text, const char *word)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	const size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
		if ((at == text || !strchr(letters, at[-1])) &&
		    (at[n] == '\0' || !strchr(letters, at[n])))
			return true;
	return false;
}

/* True when a message about a part follows from one that is passed over: that itself, or a tensor
 * that is missed. */
static bool is_consequence(const struct workload_parts *over, const char *part, const char *text)
{
	static const char tensors[] = "tensors.";

	for (size_t i = 0; i < over->n; i++)
		if (strcmp(over->list[i], part) == 0 ||
		    (strncmp(over->list[i], tensors, sizeof tensors - 1) == 0 &&
		     has_word(text, over->list[i] + sizeof tensors - 1)))
			return true;
	return false;
}

/* What is known of a file's faults while it is read again and again. */
struct fault_search {
	const char *path;
	struct workload_faults faults;
	size_t looked_at;                 /* bytes of the lines */
	struct workload_parts next, over; /* parts with faults; those that are passed over */
	size_t said;
	workload_fault_fn *say;
	void *user;
};

/* Reports a fault, unless it follows from a part that is passed over, and lists its own part. */
static void report_fault(struct fault_search *f, const char *text)
{
	char part[WORKLOAD_PART_SIZE];
	const bool named = find_part(text, f->path, part);

	if (f->over.n > 0 && (!named || is_consequence(&f->over, part, text)))
		return;
	f->say(f->user, text);
	f->said++;
	for (size_t i = 0; i < f->next.n; i++)
		if (strcmp(f->next.list[i], part) == 0)
			return;
	if (named && f->next.n < WORKLOAD_MAX_PARTS)
		memcpy(f->next.list[f->next.n++], part, sizeof part);
}

/* Reports what was noted since the last call. */
static void report_noted(struct fault_search *f)
{
	size_t n;

	for (; f->looked_at < f->faults.lines.len; f->looked_at += n + 1) {
		const char *line = buf_str(&f->faults.lines) + f->looked_at;
		char *text = NULL;

		n = strcspn(line, "\n");
		text = str_print("%.*s", (int)n, line);
		if (text)
			report_fault(f, text);
		free(text);
	}
}

/* Reads and checks the file, which goes on behind most faults; where one hides what follows it, its
 * part is passed over the next time. */
static size_t find_faults(const char *path, const struct buf *text, struct workload **out,
			  workload_fault_fn *say, void *user)
{
	struct fault_search f = {.path = path, .say = say, .user = user};
	struct asc_err e;

	while (open_without(path, text, &f.over, &f.faults, out, &e) != ASC_OK) {
		const bool noted = f.looked_at < f.faults.lines.len;
		const size_t parts = f.over.n;

		report_noted(&f);
		if (!noted)
			report_fault(&f, e.text);
		f.over = f.next;
		if (f.over.n == parts)
			break;
	}
	workload_faults_fini(&f.faults);
	if (f.said > 0) {
		workload_close(*out);
		*out = NULL;
	}
	return f.said;
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
