#include "tuner/cmd/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"

void listing_init(struct listing *l, const char *heads, bool json)
{
	*l = (struct listing){.json = json, .group = ""};
	table_init(&l->table, heads);
}

void listing_print(struct listing *l, struct buf *line)
{
	struct asc_err e;

	l->cut = command_print_line(line, &e) || l->cut;
}

/* Adds a reason that stands below the table, unless it is there. */
static void add_below(struct listing *l, const char *name, const char *reason)
{
	char *line = str_print("%.*s: %s\n", (int)strcspn(name, "."), name, reason);

	if (line && !strstr(buf_str(&l->reasons), line))
		buf_add_str(&l->reasons, line);
	l->cut |= !line || l->reasons.failed;
	free(line);
}

void listing_add(struct listing *l, const char *name, bool usable, const char *summary,
		 const char *reason)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	/* A caller without memory passes NULL: the listing then fails at its end. */
	l->cut |= !name || !summary;
	if (!name || !summary)
		return;
	char *full = str_print("%s%s%s", l->group, *l->group ? "." : "", name);

	if (!full) {
		l->cut = true;
		return;
	}
	if (!l->json) {
		table_add(&l->table, "%s", full);
		table_add(&l->table, "%s", usable ? "yes" : "no");
		table_add(&l->table, "%s", usable || !*reason || l->below ? summary : reason);
		if (!usable && *reason && l->below)
			add_below(l, full, reason);
		free(full);
		return;
	}
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "name", full);
	json_write_bool(&w, "usable", usable);
	json_write_string(&w, "summary", summary);
	if (!usable)
		json_write_string(&w, "reason", reason);
	json_write_end(&w, '}');
	listing_print(l, &line);
	free(full);
}

enum asc_status listing_end(struct listing *l, struct asc_err *e)
{
	enum asc_status status = l->cut ? asc_err_nomem(e) : ASC_OK;

	if (!l->json && status == ASC_OK)
		status = table_print(&l->table, stdout, e);
	if (status == ASC_OK && l->reasons.len > 0) {
		l->reasons.data[l->reasons.len - 1] = '\0'; /* the last line's end */
		prose_print(stdout, 2, "\nnot usable:");
		prose_print(stdout, 2, l->reasons.data);
	}
	buf_fini(&l->reasons);
	table_fini(&l->table);
	return status;
}
