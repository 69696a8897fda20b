/* Room in a database by what takes it, and whether the file is sound. */
#ifndef ASCTUNE_DB_ROOM_H
#define ASCTUNE_DB_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;

struct db_room {
	int64_t runs, trials;
	int64_t pruned;  /* trials whose samples were dropped (db/prune.h) */
	int64_t removed; /* those of the runs whose rows are gone */
	/* Bytes of trials: samples with their notes, logs with reasons, configurations. */
	int64_t sample_bytes, log_bytes, config_bytes;
	int64_t bytes, free_bytes; /* of the file, without its log; of pages that nothing is in */
	int64_t stale;             /* problems on devices whose kept answers are not current */
};

enum asc_status db_get_room(struct db *d, struct db_room *out, struct asc_err *e);

struct db_part { /* a table or an index; the name is borrowed during the visit */
	const char *name;
	bool table;
	int64_t bytes, unused; /* bytes of its pages, and of them those without content */
};
typedef enum asc_status db_part_fn(void *user, const struct db_part *p, struct asc_err *e);

/* Visits the parts of the file, the largest first; none where this SQLite cannot say (*known is
 * false). */
enum asc_status db_each_part(struct db *d, bool *known, db_part_fn *visit, void *user,
			     struct asc_err *e);

/* Visits what is wrong with the file, at most 20 sentences of SQLite's: damaged pages, rows that an
 * index lacks, rows that refer to one that is not there. None: it is sound. */
typedef enum asc_status db_fault_fn(void *user, const char *fault, struct asc_err *e);
enum asc_status db_each_fault(struct db *d, db_fault_fn *visit, void *user, struct asc_err *e);

#endif
