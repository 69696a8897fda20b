#include "tuner/cmd/answers/unsupported.h"

#include <stdio.h>
#include <string.h>

#include "reports/results/best.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/workload/workload.h"

/* One of the list that a run has recorded (tuner/tune/recorder). */
struct entry {
	const char *name, *reason;
	const struct json_node *devices; /* NULL: all */
	int64_t index;
};

#define AT(member) offsetof(struct entry, member)
static const struct json_field fields[] = {
	{"name", JSON_AS_STRING, true, AT(name), NULL, NULL},
	{"reason", JSON_AS_STRING, true, AT(reason), NULL, NULL},
	{"devices", JSON_AS_NODE, false, AT(devices), NULL, NULL},
	{"index", JSON_AS_INT, true, AT(index), NULL, NULL},
	{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
	{0}};
static const struct json_spec spec = {"unsupported", fields};

static bool is_for(const struct entry *x, const char *device)
{
	const char *name;
	struct asc_err ignored;

	for (const struct json_node *n = x->devices ? json_first(x->devices) : NULL; n;
	     n = json_next(n))
		if (json_get_string(n, &name, &ignored) == ASC_OK && strcmp(name, device) == 0)
			return true;
	return !x->devices;
}

typedef void entry_fn(void *user, const struct entry *x);

/* Visits those of the row's class of device. */
static enum asc_status each(const struct best_row *row, entry_fn *visit, void *user,
			    struct asc_err *e)
{
	struct json_doc *doc = NULL;
	enum asc_status status;

	/* Most workloads have none: their texts are not read. */
	if (!row->export_json || !strstr(row->export_json, WORKLOAD_UNSUPPORTED_KEY))
		return ASC_OK;
	status = json_open_text("export", row->export_json, strlen(row->export_json), &doc, e);
	const struct json_node *list =
		status ? NULL : json_find(json_root(doc), WORKLOAD_UNSUPPORTED_KEY);

	for (const struct json_node *n = list ? json_first(list) : NULL; n && !status;
	     n = json_next(n)) {
		struct entry x = {.index = -1};

		status = json_read_object(n, &spec, &x, e);
		if (!status && is_for(&x, row->device_kind))
			visit(user, &x);
	}
	json_close(doc);
	return status;
}

static void print_entry(void *user, const struct entry *x)
{
	struct buf *out = user;

	buf_add_str(out, out->len ? "; " : "");
	implementation_print_name(x->name, x->index, out);
	buf_print(out, ": %s", x->reason);
}

static bool has_line(const struct buf *lines, const char *line)
{
	const char *const begin = buf_str(lines);

	/* A workload's name may end as that of another one. */
	for (const char *at = begin; lines->len && (at = strstr(at, line)) != NULL; at++)
		if (at == begin || at[-1] == '\n')
			return true;
	return false;
}

enum asc_status unsupported_add(struct unsupported *u, const struct best_row *row,
				struct asc_err *e)
{
	struct buf list = {0}, line = {0};
	enum asc_status status = each(row, print_entry, &list, e);

	if (list.len)
		buf_print(&line, "%s on %s: unsupported: %s\n", row->workload, row->device_kind,
			  buf_str(&list));
	if (status == ASC_OK && (buf_check(&list, e) || buf_check(&line, e)))
		status = e->status;
	if (status == ASC_OK && line.len && !has_line(&u->lines, buf_str(&line))) {
		buf_add(&u->lines, buf_str(&line), line.len);
		status = buf_check(&u->lines, e);
	}
	buf_fini(&list);
	buf_fini(&line);
	return status;
}

void unsupported_print(const struct unsupported *u)
{
	if (u->lines.len)
		prose_print(stdout, 2, buf_str(&u->lines));
}

void unsupported_fini(struct unsupported *u)
{
	buf_fini(&u->lines);
}

struct list_writer {
	struct json_writer *to;
	bool begun;
};

static void write_entry(void *user, const struct entry *x)
{
	struct list_writer *w = user;

	if (!w->begun)
		json_write_begin(w->to, "unsupported", '[');
	w->begun = true;
	json_write_begin(w->to, NULL, '{');
	json_write_string(w->to, "name", x->name);
	json_write_int(w->to, "index", x->index);
	json_write_string(w->to, "reason", x->reason);
	json_write_end(w->to, '}');
}

enum asc_status unsupported_write(const struct best_row *row, struct json_writer *w,
				  struct asc_err *e)
{
	struct list_writer list = {.to = w};
	const enum asc_status status = each(row, write_entry, &list, e);

	if (list.begun)
		json_write_end(w, ']');
	return status;
}
