/* Rules by which the rows of each table are merged. Columns and what they refer to are the schema's
 * own, so that a new column comes along; only db/merge*.c and their test include this. */
#ifndef ASCTUNE_DB_MERGE_PLAN_H
#define ASCTUNE_DB_MERGE_PLAN_H

#include <stdbool.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"

struct db;

enum merge_rule {                   /* for a row that both files have */
		  MERGE_KEEP,       /* it stays: a row never changes */
		  MERGE_FILL,       /* what is NULL here comes from there */
		  MERGE_PASSED,     /* the one whose `newer`, a status, is ok stands */
		  MERGE_NEWER,      /* the one with the greater `newer` stands */
		  MERGE_NEWEST_RUN, /* the one of the newest run stands, a measured one before a
				       simulated */
};

struct merge_table {
	const char *name;
	const char *key; /* columns that tell rows apart, what they refer to counts by content */
	enum merge_rule rule;
	const char *newer;   /* MERGE_NEWER, MERGE_PASSED: a column; MERGE_NEWEST_RUN: SQL for the
				newest run of a row, (simulated, started_ms, uid) */
	const char *counted; /* rows of a run are only added, or pass in finals, so that all are
				here as they are there when as many are: SQL for how many each run
				has, those that passed twice */
};

/* Tables, those that others refer to first; ended by a NULL name. */
extern const struct merge_table merge_tables[];

enum { MERGE_MAX_TABLES = 32, MERGE_MAX_COLUMNS = 96 };

struct merge_plan {
	const struct merge_table *table;
	int n;                         /* columns */
	int id;                        /* which one numbers the rows, -1: none */
	int refers[MERGE_MAX_COLUMNS]; /* index of a table, -1: a value */
	bool in_key[MERGE_MAX_COLUMNS];

	/* Column number i, from 0, is the parameter ?i+1. */
	struct buf read;   /* all columns */
	struct buf find;   /* the row's number or 0, and whether it differs */
	struct buf add;    /* a row; a NULL number is chosen */
	struct buf change; /* by the rule; empty: never */
};

enum asc_status merge_plan_init(struct merge_plan *p, struct db *d, const struct merge_table *t,
				struct asc_err *e);
void merge_plan_fini(struct merge_plan *p);

#endif
