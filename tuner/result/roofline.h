/* The roofline model: the rate that is attainable at a problem's arithmetic intensity, and the
 * fraction reached (Williams, Waterman, Patterson: "Roofline: an insightful visual performance
 * model for multicore architectures", CACM 52(4), 2009). */
#ifndef ASCTUNE_RESULT_ROOFLINE_H
#define ASCTUNE_RESULT_ROOFLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/dtype.h"

/* Units of peaks, and the types that rows of each have. Of arithmetic, where a multiply-add counts
 * as two: the name of an element type for the most that any unit reaches, and that name behind
 * PEAK_PLAIN or PEAK_TENSOR for the units that compute number by number and for those that compute
 * products of matrices. Of memory, read and written together: "" for the device's memory, the same
 * as one thread of a CPU moves it, else the name of what is nearer. Of launches: those that do
 * nothing, and the blocks of a grid that do nothing, in how many a second start and end. */
#define PEAK_ARITHMETIC "FLOP/s"
#define PEAK_PLAIN      "plain:"
#define PEAK_TENSOR     "tensor:"
#define PEAK_MEMORY     "B/s"
#define PEAK_THREAD     "thread"
#define PEAK_L3         "l3"
#define PEAK_L2         "l2"
#define PEAK_L1         "l1"
#define PEAK_SHARED     "shared"
#define PEAK_LAUNCHES   "1/s"
#define PEAK_LAUNCH     "launch"
#define PEAK_SINGLE     "single"
#define PEAK_FURTHER    "further"
#define PEAK_BLOCK      "block"

struct peak {            /* a rate measured at several moments */
	char unit[8];    /* unit of the rate */
	char type[16];   /* what it is the rate of, see above */
	double rate;     /* rate of the best moment; 0: unknown */
	double low;      /* rate of the worst moment; 0: unknown, of a rate recorded by an earlier
			    version */
	int64_t moments; /* moments without other load; 0: a busy rate, the peak may be higher */
};

enum {
	PEAKS_MAX = 3 * DTYPE_COUNT + 10,
	PEAKS_MOMENTS = 5,                       /* moments of a program, at most */
	PEAKS_ENOUGH_MOMENTS = 3 * PEAKS_MOMENTS /* quiet ones: then a peak is believed */
};

struct peaks_try {  /* the last time that the peaks of an element type were measured */
	int64_t ms; /* ms since 1970; 0: never, or by an earlier version */
	bool calm;  /* all moments were quiet */
};

/* Peaks of a device: at most one row for a unit and a type. */
struct peaks {
	struct peak rows[PEAKS_MAX];
	size_t n;
	struct peaks_try tries[DTYPE_COUNT];
};

/* Finds the row for a unit and a type, or adds one of unknown rate. NULL: no room is left. */
struct peak *peaks_row(struct peaks *p, const char *unit, const char *type);

/* Finds the row for a unit and a type; a static row of unknown rate where there is none. */
const struct peak *peaks_find(const struct peaks *p, const char *unit, const char *type);

/* The rows of one element type that PEAK_PLAIN and PEAK_TENSOR stand before: `kind` is one of them.
 * FLOP/s; 0: unknown, or the device has no such units. */
double peaks_units(const struct peaks *p, const char *kind, enum dtype type);

/* Time of a launch of `kernels` kernels of `blocks` blocks in all that do nothing, by `threads`
 * threads of a CPU (0: of a device that is no CPU), in ns. NaN: unknown. */
double peaks_empty_ns(const struct peaks *p, int64_t threads, double kernels, double blocks);

/* Adds one more moment to a row; a rate of 0 adds the row alone. busy: other load took a part of
 * that moment, which does not count as one then, though its rate does. */
void peaks_add(struct peaks *p, const char *unit, const char *type, double rate, bool busy);

/* Notes that the rows, all of them, are what was measured for a type at a time. */
void peaks_note_try(struct peaks *p, enum dtype element, int64_t now_ms);

/* True where the peaks of a type are to be measured now. That costs a second, which a busy machine
 * stretches, so none is measured twice within an hour unless the machine was quiet: what disturbed
 * one try would disturb the next. `above`: a kernel is faster than they allow. */
bool peaks_due(const struct peaks *p, enum dtype element, int64_t now_ms, bool above);

/* Merges peaks of other moments, if there are any: of each row the higher rate stands. */
void peaks_join(struct peaks *p, const struct peaks *later);

/* Merges what another place keeps of the same device, perhaps of the same moments: as
 * peaks_join(), but the greater number of moments stands. */
void peaks_merge(struct peaks *p, const struct peaks *other);

/* The peaks that limit work in one type: FLOP/s, byte/s; 0: unknown. */
struct roof {
	double flops, bandwidth;
	bool flops_busy, bandwidth_busy; /* known of busy moments alone */
};

struct roof peaks_roof(const struct peaks *p, enum dtype type);

struct roofline {
	double intensity;  /* FLOP/byte */
	double attainable; /* attainable FLOP/s: the lesser of the peak and intensity times
			      bandwidth */
	double part;       /* fraction of it that was reached; may be over 1, see note */
	const char *bound; /* the limit, "compute" or "memory"; static */
	const char *note;  /* why the fraction is to be read with care, in a word or two for a cell
			      of a table; static; NULL: it is not */
};

/* Finds the roofline of `flops` FLOPs over `bytes` bytes that took `ns`. False, and *out zeroed,
 * when one of them or of the roof is unknown. */
bool roofline_place(const struct roof *r, double flops, double bytes, double ns,
		    struct roofline *out);

/* What a note of roofline_place() means, in a sentence without its full stop; static. */
const char *roofline_explain(const char *note);

#endif
