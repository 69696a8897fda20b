/* Output of `asctune build`: a line of JSON for each build, the line of progress, and in the end
 * counts by kernel, reasons of what was not built, and the slowest builds. */
#ifndef ASCTUNE_CMD_BUILD_BUILD_REPORT_H
#define ASCTUNE_CMD_BUILD_BUILD_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/intern.h"
#include "tuner/cmd/terminal/screen.h"
#include "tuner/result/result.h"

struct binding;
struct build_event;
struct built_kernel;
struct evaluator_target;

enum { BUILD_SLOWEST = 5 };

/* Counts of builds: of one implementation and problem, and of all. */
struct build_counts {
	uint64_t by_status[RESULT_STATUS_COUNT], configurations;
	uint64_t compiled, cached, equal; /* anew; from the cache; as another one of this command */
	int64_t spent_ns;                 /* time of the compilers */
};

struct build_report {
	bool json;
	const struct evaluator_target *target;
	struct screen screen;
	int64_t began_ns;
	char title[256];
	uint64_t planned;             /* of the problem that is built now */
	struct build_counts all, now; /* of the command; of that problem */
	uint64_t functions, failed_firsts;
	struct build_row *rows;
	size_t n_rows, rows_room;
	struct build_reason *reasons;
	size_t n_reasons, reasons_room;
	struct build_slow {
		int64_t spent_ns;
		char *name;       /* heap */
	} slowest[BUILD_SLOWEST]; /* the longest first */
	char (*keys)[33];         /* of all artifacts so far */
	size_t n_keys, keys_room;
	struct intern numbers; /* of `keys` */
};

/* The caller owns *r; the target is borrowed until the end. */
void build_report_init(struct build_report *r, const struct evaluator_target *t, bool json);
void build_report_fini(struct build_report *r);

/* A problem begins, with so many configurations. */
void build_report_begin(struct build_report *r, const struct binding *b, uint64_t planned);

/* A configuration or function has ended, with its kernels. */
enum asc_status build_report_add(struct build_report *r, const struct build_event *event,
				 const struct built_kernel *kernels, struct asc_err *e);

void build_report_draw(struct build_report *r); /* draws the progress */

/* Prints the end: tables, or the line of totals. */
enum asc_status build_report_end(struct build_report *r, size_t uncovered, bool interrupted,
				 struct asc_err *e);

#endif
