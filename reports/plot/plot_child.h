/* One gnuplot: started with limits, watched, judged. Set up as {0}; the caller frees `log`. */
#ifndef ASCTUNE_PLOT_PLOT_CHILD_H
#define ASCTUNE_PLOT_PLOT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/proc.h"

struct plotter;

enum { PLOT_CHILD_BYTES = 20 << 20 /* of each file that it writes */ };

struct plot_child {
	struct proc proc; /* proc.pid is 0 when there is none */
	struct buf log;   /* what it has said */
	int64_t started_ns;
};

/* Has it load `script`, a name of our own making, in `folder`. */
enum asc_status plot_child_start(struct plot_child *c, const struct plotter *g, const char *folder,
				 const char *script, struct asc_err *e);

/* True when it has ended, by itself or stopped because its time was over; it is reaped then. */
bool plot_child_ended(struct plot_child *c, const struct plotter *g, bool *stopped);

/* Why nothing that it has drawn can be trusted, or "". */
void plot_child_judge(const struct plot_child *c, const struct plotter *g, bool stopped, char *text,
		      size_t size);

#endif
