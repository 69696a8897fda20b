/* Histories of what is recorded beside times: one series for each figure (model/figure) of each
 * history of times, over its newest nights, where the figure was recorded. */
#ifndef ASCTUNE_TRACK_TRACK_FIGURES_H
#define ASCTUNE_TRACK_TRACK_FIGURES_H

#include "tuner/base/err.h"

struct db;
struct track_history;

/* Appends them to the history's list, behind the series of times; not judged yet. */
enum asc_status track_figures_add(struct track_history *h, struct db *d, struct asc_err *e);

#endif
