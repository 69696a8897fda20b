/* The search for a bound of one variant of a kernel: which configurations a compiler is asked
 * about, and what its verdicts say of all.
 *
 * ask and tell, as a strategy: calibration_ask() gives the sizes of one question,
 * calibration_tell() takes the verdict; whoever asks has the compiler. Verdicts need not be
 * monotone. */
#ifndef ASCTUNE_WORKLOAD_LIMITS_CALIBRATION_H
#define ASCTUNE_WORKLOAD_LIMITS_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/workload/limits/tile_bound.h"

enum {
	CALIBRATION_SPACES = 3, /* that a refusal may name */
	/* Questions about one variant, at most TILE_MAX_POINTS, and those of them that are checks.
	 */
	CALIBRATION_QUESTIONS = 30,
	CALIBRATION_FEWEST = 12, /* with which a bound is found, and checked by some rows */
	CALIBRATION_CHECKS = 8
};

enum calibration_answer { CALIBRATION_FITS, CALIBRATION_REFUSED, CALIBRATION_UNKNOWN };

struct calibration_space {
	size_t n_sizes; /* at most TILE_MAX_SIZES */
	/* Configurations that a bound has to judge, n_rows times TILE_MAX_SIZES, each once;
	 * borrowed. */
	int64_t (*rows)[TILE_MAX_SIZES];
	size_t n_rows;
	double capacities[CALIBRATION_SPACES]; /* bytes; 0: there is no such space */
	double fixed;         /* product of the sizes that have one value, at least 1 */
	size_t checks;        /* questions that are kept for checks of the bound */
	tile_product between; /* sizes of which values between those of the rows may be asked */
	int64_t step;         /* least difference of such values; 0: some percent */
};

struct calibration;

/* Outcome of the questions. */
struct calibration_report {
	struct tile_bound bounds[CALIBRATION_SPACES];
	size_t asked, unknown; /* questions, and those without a verdict */
	size_t fitting, refused;
	int64_t largest[TILE_MAX_SIZES]; /* of those that fit, by volume; a hint: verdicts are not
					    monotone */
	size_t lost;                     /* of the points that fit: above a bound; 0 */
	size_t foreseen;                 /* of the refused ones */
	/* Checks: rows near the bounds, each judged by the bounds that were found before it was
	 * asked. */
	size_t checked_fitting, checked_lost, checked_refused, checked_foreseen;
};

enum asc_status calibration_new(const struct calibration_space *s, size_t questions,
				struct calibration **out, struct asc_err *e);
void calibration_free(struct calibration *c);

/* Next question; false: there is none that would say more. Every question is told before the next
 * one is asked. */
bool calibration_ask(struct calibration *c, int64_t sizes[TILE_MAX_SIZES]);

/* Takes the verdict on the last question; `space` is the one that is named by a refusal. */
void calibration_tell(struct calibration *c, enum calibration_answer answer, size_t space);

void calibration_report(const struct calibration *c, struct calibration_report *out);

/* True where the bounds leave a configuration out. */
bool calibration_report_leaves_out(const struct calibration_report *r,
				   const struct calibration_space *s, const int64_t *sizes);

#endif
