/* A picture of successive nights in the making: what its parts share. Nothing here is owned. */
#ifndef ASCTUNE_PLOT_HISTORY_SHEET_H
#define ASCTUNE_PLOT_HISTORY_SHEET_H

#include "reports/plot/axis.h"
#include "reports/plot/plot_script.h"
#include "tuner/base/err.h"

struct picture_history;

struct history_sheet {
	const struct picture_history *h;
	struct plot_script *s;
	struct plot_frame frame;
	struct axis x, y;
	double low, high; /* of values: beyond is off the scale */
	double top;       /* place on the axis where the names of events begin */
};

/* At most 2,400 of the nights; counts those given and shown. */
enum asc_status history_write_nights(const struct history_sheet *t, struct asc_err *e);

#endif
