/* Texts of the questions for what is best, whose rows query_best.c takes. */
#ifndef ASCTUNE_DB_BEST_SQL_H
#define ASCTUNE_DB_BEST_SQL_H

#include <stdbool.h>

struct buf;

/* Appends the question for all subjects: ?1: the workload, NULL: all; ?2: with those that are
 * older; ?3: 0; ?4: of stand-ins. */
void best_sql_add_each(struct buf *out, bool of_implementations);

/* Appends the question for one: ?1: device, ?2: 0, ?3: problem, ?4: cache policy. */
void best_sql_add_subject(struct buf *out);

#endif
