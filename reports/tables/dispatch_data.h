/* Inner parts of a dispatch table, for the files that build it. */
#ifndef ASCTUNE_TABLES_DISPATCH_DATA_H
#define ASCTUNE_TABLES_DISPATCH_DATA_H

#include "reports/tables/dispatch.h"

/* Replaces a text by a copy that the table owns; NULL stays NULL. */
enum asc_status dispatch_keep(struct dispatch *t, const char **text, struct asc_err *e);

/* Makes all texts of a result the table's own. */
enum asc_status dispatch_keep_result(struct dispatch *t, struct best_row *r, struct asc_err *e);

/* Gives each row that is not left out the library's names of its operator, sizes and types; a row
 * that has none is left out. NULL: the workload's own names stay. */
enum asc_status dispatch_name_rows(struct dispatch *t, const char *library, struct asc_err *e);

/* The result of one trial; texts are the record's. */
struct best_row dispatch_result_of(const struct db_record *r);

/* True for the row of a record's problem, device, cache policy and implementation. */
bool dispatch_is_row_of(const struct dispatch_row *row, const struct db_record *r);

/* Gives the rules of a table with covers their ranges, and joins rules that lie side by side. */
enum asc_status dispatch_widen(struct dispatch *t, struct asc_err *e);

/* Says why a row makes no rule. */
enum asc_status dispatch_leave_out(struct dispatch *t, struct dispatch_row *row, struct asc_err *e,
				   const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
