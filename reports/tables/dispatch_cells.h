/* Measurements of the rows of a dispatch table: a cell for each configuration of a row's
 * kernel that was tried on the row's problem. Inner part of covers.
 *
 * The caller owns the storage: `struct dispatch_cells c = {0}`, dispatch_cells_read(),
 * dispatch_cells_fini(). */
#ifndef ASCTUNE_TABLES_DISPATCH_CELLS_H
#define ASCTUNE_TABLES_DISPATCH_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/intern.h"

struct db;
struct dispatch;

enum dispatch_cell_state {
	DISPATCH_CELL_OK,
	DISPATCH_CELL_SLOW,  /* dropped for being slow: its time is of few samples */
	DISPATCH_CELL_FAILED /* it failed, or is slower than the library's default */
};

struct dispatch_cell {
	size_t row;
	uint32_t config; /* number of its key */
	enum dispatch_cell_state state;
	int64_t trial_id, run_id;
	double median_ns;
	const char *rival; /* implementation of the library's default in the same rounds; NULL: not
			      measured there */
	double rival_ns;
	bool is_default;
	bool is_best;   /* its configuration is the row's */
	bool counts;    /* it may serve: it was compared, or is the best, or no rounds were held */
	bool of_finals; /* the time is that of rounds */
	bool compared; /* it was measured in rounds with the library's default, or is the default */
};

struct dispatch_cells {
	struct dispatch *table; /* borrowed */
	struct dispatch_cell *list;
	size_t n, room;
	const char **configs; /* keys, each once, by number; texts are the table's */
	size_t n_configs, configs_room;
	struct intern keys; /* of their numbers */
};

/* Reads the cells of all rows that are not left out. */
enum asc_status dispatch_cells_read(struct dispatch_cells *c, struct dispatch *t, struct db *d,
				    struct asc_err *e);
void dispatch_cells_fini(struct dispatch_cells *c);

#endif
