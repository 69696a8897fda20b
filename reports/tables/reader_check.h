/* Whether a reader's table is still what its library asks for, and what was measured. */
#ifndef ASCTUNE_TABLES_READER_CHECK_H
#define ASCTUNE_TABLES_READER_CHECK_H

#include "reports/tables/evidence.h"

/* Compares the table at `path`, of which `evidence` is, with
 * - the name and the rows that the reader finds, and those that asctune wrote,
 * - the name that the machine's device asks for, where that is a variant of the table's,
 * - the Triton, the package and the kernel's text that are installed,
 * - the file of that name which the package ships. */
enum asc_status reader_check_table(const struct json_node *evidence, const char *path,
				   const struct evidence_machine *here, evidence_stale_fn *stale,
				   void *user, struct asc_err *e);

#endif
