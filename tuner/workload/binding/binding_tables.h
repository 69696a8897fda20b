/* Values by table of a bound problem: the rows of each table that are about it, as a function of
 * the parameters. Private to its folder. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_TABLES_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_TABLES_H

#include "tuner/base/err.h"

struct binding;

/* Sets b->tables, for tables without a fault. */
enum asc_status binding_tables_init(struct binding *b, struct asc_err *e);
void binding_tables_fini(struct binding *b);

#endif
