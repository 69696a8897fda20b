#include "tuner/cmd/machine/doctor_db.h"

#include <inttypes.h>
#include <stdio.h>

#include "db/db.h"
#include "db/room.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/table.h"

struct examination {
	const char *path;
	bool json;
	struct db_room room;
	struct table table;
	size_t faults;
};

/* Adds a row: what, its bytes, and their part of the file. */
static enum asc_status add(struct examination *x, const char *kind, const char *name, int64_t bytes,
			   int64_t unused, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	if (!x->json) {
		table_add(&x->table, "%s%s%s", kind, *name ? " " : "", name);
		table_add(&x->table, "%.1f", (double)bytes * 1e-6);
		table_add(&x->table, "%.0f",
			  x->room.bytes > 0 ? 100 * (double)bytes / (double)x->room.bytes : 0);
		return ASC_OK;
	}
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "kind", kind);
	json_write_string(&w, "name", *name ? name : NULL);
	json_write_int(&w, "bytes", bytes);
	if (unused >= 0)
		json_write_int(&w, "unused_bytes", unused);
	json_write_end(&w, '}');
	return command_print_line(&line, e);
}

static enum asc_status see_part(void *user, const struct db_part *p, struct asc_err *e)
{
	struct examination *x = user;

	return add(x, p->table ? "table" : "index", p->name, p->bytes, p->unused, e);
}

static enum asc_status see_fault(void *user, const char *fault, struct asc_err *e)
{
	struct examination *x = user;
	struct buf line = {0};
	struct json_writer w = {&line, false};

	x->faults++;
	if (!x->json) {
		prose_say(stdout, 2, "not sound: %s", fault);
		return ASC_OK;
	}
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "kind", "fault");
	json_write_string(&w, "name", fault);
	json_write_end(&w, '}');
	return command_print_line(&line, e);
}

/* Prints what the file holds, in a line. */
static enum asc_status say_content(const struct examination *x, struct asc_err *e)
{
	const struct db_room *r = &x->room;
	struct buf line = {0};
	struct json_writer w = {&line, false};

	if (x->json) {
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "kind", "database");
		json_write_string(&w, "name", x->path);
		json_write_int(&w, "bytes", r->bytes);
		json_write_int(&w, "runs", r->runs);
		json_write_int(&w, "trials", r->trials);
		json_write_int(&w, "pruned", r->pruned);
		json_write_int(&w, "removed", r->removed);
		json_write_int(&w, "stale", r->stale);
		json_write_bool(&w, "sound", x->faults == 0);
		json_write_end(&w, '}');
		return command_print_line(&line, e);
	}
	prose_say(stdout, 2, "%s: %.1f MB, %" PRId64 " %s of %" PRId64 " %s", x->path,
		  (double)r->bytes * 1e-6, r->trials, r->trials == 1 ? "trial" : "trials", r->runs,
		  r->runs == 1 ? "run" : "runs");
	if (r->removed > 0)
		prose_say(stdout, 2,
			  "%" PRId64 " more %s removed by `prune`: later runs tried the same again",
			  r->removed, r->removed == 1 ? "trial was" : "trials were");
	if (r->pruned > 0)
		prose_say(stdout, 2, "samples of %" PRId64 " %s were pruned", r->pruned,
			  r->pruned == 1 ? "trial" : "trials");
	if (r->stale > 0)
		prose_say(stdout, 2,
			  "new results that no stored answer counts yet: of %" PRId64 " %s",
			  r->stale, r->stale == 1 ? "problem" : "problems");
	return ASC_OK;
}

static enum asc_status list_parts(struct examination *x, struct db *d, struct asc_err *e)
{
	const struct db_room *r = &x->room;
	bool known = false;
	enum asc_status status = db_each_part(d, &known, see_part, x, e);

	if (status == ASC_OK && !known && !x->json)
		prose_say(stderr, 2,
			  "asctune: this SQLite cannot tell the room of tables (dbstat)");
	const struct {
		const char *kind;
		int64_t bytes;
	} content[] = {{"free pages", r->free_bytes},
		       {"in trials: samples", r->sample_bytes},
		       {"in trials: logs", r->log_bytes},
		       {"in trials: configurations", r->config_bytes}};

	for (size_t i = 0; i < sizeof content / sizeof *content && status == ASC_OK; i++)
		status = add(x, content[i].kind, "", content[i].bytes, -1, e);
	if (status == ASC_OK && !x->json)
		status = table_print(&x->table, stdout, e);
	return status;
}

enum asc_status doctor_db(const char *path, bool json, bool *sound, struct asc_err *e)
{
	struct examination x = {.path = path, .json = json};
	struct db *d = NULL;
	struct asc_err why;

	if (db_open(path, DB_READ, &d, e))
		return e->status;
	table_init(&x.table, "WHAT|>MB|>%");
	/* The faults first: a damaged file may not say what is in it. */
	enum asc_status status = db_each_fault(d, see_fault, &x, &why);

	if (status == ASC_OK)
		status = db_get_room(d, &x.room, &why);
	if (status == ASC_OK)
		status = say_content(&x, &why);
	if (status == ASC_OK)
		status = list_parts(&x, d, &why);
	/* A file that cannot be read to its end is not sound. */
	if (status == ASC_INPUT)
		status = see_fault(&x, why.text, &why);
	*sound = x.faults == 0;
	if (status == ASC_OK && *sound && !json)
		prose_say(stdout, 2, "sound: every page, index and reference");
	table_fini(&x.table);
	db_close(d);
	if (status != ASC_OK)
		*e = why;
	return status;
}
