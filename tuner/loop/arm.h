/* One implementation within a loop: its space, its strategy, and the key under which its results
 * stay valid. */
#ifndef ASCTUNE_LOOP_ARM_H
#define ASCTUNE_LOOP_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/db.h"
#include "tuner/base/err.h"

struct binding;
struct implementation;
struct loop_options;
struct space;
struct strategy;
struct strategy_ops;

struct arm {
	const struct implementation *implementation; /* borrowed */
	struct space *space;
	const struct strategy_ops *ops;
	struct strategy *strategy;
	char key[33]; /* source, included files, tool chain, call, verification: when one changes,
			 recorded results no longer count */
	char *toolchain; /* what builds it, in the builder's words; owned */
	uint64_t preset; /* index of the default configuration */
	uint64_t choice; /* with loop_options.config: the only one that is asked for */
	bool chosen, preset_asked, exhausted;
	bool baseline; /* what the workload compares with */
};

struct arms {
	struct arm *list;
	size_t n;
	size_t turn; /* whose turn it is */
};

/* As the database knows it; borrows from the arm. */
struct db_implementation arm_implementation(const struct arm *arm);

/* All implementations that can run; notes say why others that are meant for this class of device
 * are left out. With loop_options.config there has to be one, and ASC_INPUT says why that
 * configuration is none of it. */
enum asc_status arms_open(const struct loop_options *o, const struct binding *b, struct arms *out,
			  struct asc_err *e);
void arms_close(struct arms *a);

/* The trials of a budget (0: no limit): the default of the baseline is never left out for one of
 * another implementation. */
uint64_t arms_budget(const struct arms *a, uint64_t trials);

/* The next configuration to try, in turns; false when every space is exhausted. */
bool arms_ask(struct arms *a, size_t *arm, uint64_t *index);

#endif
