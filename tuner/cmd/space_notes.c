#include "tuner/cmd/space_notes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMED = 3 };

void space_notes_fini(struct space_notes *n)
{
	for (size_t i = 0; i < n->n; i++) {
		free(n->items[i].problem);
		free(n->items[i].implementation);
		free(n->items[i].text);
		buf_fini(&n->items[i].others);
	}
	free(n->items);
	*n = (struct space_notes){0};
}

static struct space_note *find(const struct space_notes *n, const char *implementation,
			       const char *line, size_t len)
{
	for (size_t i = 0; i < n->n; i++) {
		struct space_note *note = &n->items[i];

		if (strcmp(note->implementation, implementation) == 0 &&
		    strlen(note->text) == len && memcmp(note->text, line, len) == 0)
			return note;
	}
	return NULL;
}

static enum asc_status append(struct space_notes *n, const char *problem,
			      const char *implementation, const char *line, size_t len,
			      struct asc_err *e)
{
	if (n->n == n->capacity) {
		const size_t capacity = n->capacity ? 2 * n->capacity : 16;
		struct space_note *grown = realloc(n->items, capacity * sizeof *grown);

		if (!grown)
			return asc_err_nomem(e);
		n->items = grown;
		n->capacity = capacity;
	}
	struct space_note *note = &n->items[n->n++];

	*note = (struct space_note){.problem = str_dup(problem),
				    .implementation = str_dup(implementation),
				    .text = strndup(line, len)};
	return note->problem && note->implementation && note->text ? ASC_OK : asc_err_nomem(e);
}

static void add_other(struct space_note *note, const char *problem)
{
	if (note->n_others++ < MAX_NAMED)
		buf_print(&note->others, "%s%s", note->others.len ? ", " : "", problem);
}

enum asc_status space_notes_add(struct space_notes *n, const char *problem,
				const char *implementation, const char *lines, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	while (*lines && status == ASC_OK) {
		const size_t len = strcspn(lines, "\n");
		struct space_note *note = find(n, implementation, lines, len);

		if (note)
			add_other(note, problem);
		else
			status = append(n, problem, implementation, lines, len, e);
		lines += len + (lines[len] == '\n');
	}
	return status;
}

static void print_note(const struct space_note *note, struct buf *out)
{
	buf_print(out, "%s/%s", note->problem, note->implementation);
	if (note->n_others)
		buf_print(out, " (and %s", buf_str(&note->others));
	if (note->n_others > MAX_NAMED)
		buf_print(out, ", %zu more", note->n_others - MAX_NAMED);
	buf_print(out, "%s: %s\n", note->n_others ? ")" : "", note->text);
	out->failed |= note->others.failed;
}

enum asc_status space_notes_print(const struct space_notes *n, struct buf *out, struct asc_err *e)
{
	for (size_t i = 0; i < n->n; i++)
		print_note(&n->items[i], out);
	return buf_check(out, e);
}
