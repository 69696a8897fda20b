/* Brings the values of every parameter of a table into their order. Private to run_table*.c. */
#ifndef ASCTUNE_RUNS_RUN_TABLE_ORDER_H
#define ASCTUNE_RUNS_RUN_TABLE_ORDER_H

#include "tuner/base/err.h"

struct run_table;

enum asc_status run_table_order(struct run_table *t, struct asc_err *e);

#endif
