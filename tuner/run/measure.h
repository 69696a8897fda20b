/* How often one kernel is launched and what counts as a sample, by the rule. Knows no device: the
 * caller asks how many launches come next, makes them, and reports how long they took.
 *
 * The caller owns the storage: measure_begin(), measure_fini(); rule and rival are borrowed. */
#ifndef ASCTUNE_RUN_MEASURE_H
#define ASCTUNE_RUN_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/run/rule.h"
#include "tuner/run/stop.h"

struct result;

enum {
	MEASURE_MAX_LAUNCHES = 16, /* in one sample */
	MEASURE_MAX_AHEAD = 32     /* samples taken at once */
};

struct measure {
	const struct rule *rule;
	const struct rival *best;
	struct stop_decision decision;
	int64_t first_ns;    /* of the verification launch; 0: it was marked */
	int64_t estimate_ns; /* of one launch: the latest before the first sample */
	int64_t warmups;     /* done */
	int64_t warm_ns;     /* kernel time of these and of the verification launch */
	int64_t launches;    /* per sample; 0 before the first */
	int64_t spent_ns;    /* in samples */
	int64_t *samples;    /* ns a launch, heap */
	int64_t *notes;      /* of each sample, as in struct result; heap */
	size_t n_samples, capacity;
	int64_t fastest_ns; /* of all that were taken; 0: none */
	size_t retaken;     /* samples thrown away because the machine was not steady */
};

/* `first_ns`: how long an earlier launch took (that of the verification), `note` as in struct
 * result: the race's first sample, which is kept only when it ends the race. */
enum asc_status measure_begin(struct measure *m, const struct rule *rule, const struct rival *best,
			      int64_t first_ns, int64_t note, struct asc_err *e);
void measure_fini(struct measure *m);

/* Are `done` warm-ups enough, when they and the verification launch lasted `ns` together? */
bool measure_is_warm(const struct rule *r, int64_t done, int64_t ns);

/* How many launches make a sample: as many as last sample_ns, when one lasts `launch_ns`. */
int64_t measure_group(const struct rule *r, int64_t launch_ns);

/* What one of `launches` took that lasted `ns` together. */
int64_t measure_per_launch(int64_t ns, int64_t launches);

/* How many launches to make and time together next; 0: enough. */
int64_t measure_next(struct measure *m);

/* How many times the launches that measure_next() asks for may be made before it has to be told how
 * long each took: until a stopping rule looks at them, but no longer than a tenth of a second. */
int64_t measure_ahead(const struct measure *m);

/* The launches that measure_next() asked for took `ns` together; `note` as in struct result. A
 * marked sample is taken again while the rule allows; one after the decision is left out. */
enum asc_status measure_add(struct measure *m, int64_t ns, int64_t note, struct asc_err *e);

/* One more sample of `ns` a launch, whatever was decided; and that nothing can be. */
enum asc_status measure_keep(struct measure *m, int64_t ns, int64_t note, struct asc_err *e);
void measure_leave(struct measure *m, const char *reason);

/* Moves the samples into `out` and summarises them; the status becomes slow when the race is lost,
 * undecided when that could not be told. */
enum asc_status measure_end(struct measure *m, struct result *out, struct asc_err *e);

#endif
