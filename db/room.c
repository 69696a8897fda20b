#include "db/room.h"

#include <inttypes.h>
#include <string.h>

#include "db/connection.h"
#include "db/sql.h"
#include "db/statement.h"
#include "tuner/base/buf.h"

enum { MOST_FAULTS = 20 };

enum asc_status db_get_room(struct db *d, struct db_room *out, struct asc_err *e)
{
	int64_t *const members[] = {&out->runs,         &out->trials,       &out->pruned,
				    &out->removed,      &out->sample_bytes, &out->log_bytes,
				    &out->config_bytes, &out->bytes,        &out->free_bytes,
				    &out->stale};
	struct statement s;
	bool row = false;

	*out = (struct db_room){0};
	statement_begin(&s, d, sql_room_content);
	const enum asc_status status = statement_step(&s, &row, e);

	for (size_t i = 0; row && i < sizeof members / sizeof *members; i++)
		*members[i] = statement_take_int(&s);
	statement_end(&s);
	return status;
}

enum asc_status db_each_part(struct db *d, bool *known, db_part_fn *visit, void *user,
			     struct asc_err *e)
{
	struct statement s;
	enum asc_status status;

	statement_begin(&s, d, sql_room_has_parts);
	status = statement_run_int(&s, &(int64_t){0}, known, e);
	if (status != ASC_OK || !*known)
		return status;
	statement_begin(&s, d, sql_room_parts);
	while (statement_next(&s, &status, e)) {
		struct db_part p = {.name = statement_take_text(&s)};

		p.table = statement_take_int(&s);
		p.bytes = statement_take_int(&s);
		p.unused = statement_take_int(&s);
		status = visit(user, &p, e);
	}
	return status;
}

enum asc_status db_each_fault(struct db *d, db_fault_fn *visit, void *user, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;
	struct buf text = {0};
	int faults = 0;

	statement_prepare(&s, d, "PRAGMA integrity_check(20)");
	while (statement_next(&s, &status, e)) {
		const char *fault = statement_take_text(&s);

		if (fault && strcmp(fault, "ok") == 0)
			continue;
		faults++;
		status = visit(user, fault ? fault : "", e);
	}
	statement_drop(&s);
	if (status == ASC_OK)
		statement_prepare(&s, d, "PRAGMA foreign_key_check");
	/* table, row, the table that it refers to */
	while (status == ASC_OK && faults < MOST_FAULTS && statement_next(&s, &status, e)) {
		buf_clear(&text);
		buf_print(&text, "table %s: ", statement_take_text(&s));
		buf_print(&text, "row %" PRId64 " refers to ", statement_take_int(&s));
		buf_print(&text, "a row of %s that is not there", statement_take_text(&s));
		faults++;
		status = buf_check(&text, e) ? e->status : visit(user, buf_str(&text), e);
	}
	statement_drop(&s);
	buf_fini(&text);
	return status;
}
