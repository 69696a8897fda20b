#include "tuner/loop/loop_peaks.h"

#include "db/db.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/loop/loop.h"

enum { ENOUGH_MOMENTS = 15 };                            /* those of three programs */
static const int64_t MEASURING_NS = INT64_C(2500000000); /* more than it takes as a rule */

/* Else the next run measures them. */
static bool there_is_time(int64_t until_ns)
{
	return until_ns == 0 || until_ns - clock_now_ns() >= MEASURING_NS;
}

static bool is_exceeded(const struct loop_summary *sum)
{
	return roofline_is_exceeded(&sum->peaks, sum->flops, sum->best.time.median);
}

/* Where memory seems to be exceeded, the data may have stayed in caches. */
static bool is_doubtful(const struct loop_summary *sum)
{
	const struct peaks *p = &sum->peaks;
	struct roofline place;

	return p->arithmetic.moments < ENOUGH_MOMENTS || p->memory.moments < ENOUGH_MOMENTS ||
	       is_exceeded(sum) ||
	       (roofline_place(p, sum->flops, sum->bytes, sum->best.time.median, &place) &&
		place.part > 1);
}

static enum asc_status measure(const struct loop_options *o, struct evaluator *v, int64_t until_ns,
			       struct loop_summary *sum, struct asc_err *e)
{
	struct peaks p;

	o->peaks->measured[sum->peaks.type] = true;
	if (o->evaluator->peaks(v, sum->peaks.type, &p, until_ns, e))
		return e->status;
	peak_join(&sum->peaks.arithmetic, &p.arithmetic);
	peak_join(&sum->peaks.memory, &p.memory);
	return db_put_peaks(o->db, o->info->fingerprint, &sum->peaks, e);
}

static enum asc_status forget(const struct loop_options *o, struct loop_summary *sum,
			      struct asc_err *e)
{
	char text[UNITS_TEXT_SIZE];

	units_print_rate(sum->peaks.arithmetic.rate, "FLOP/s", text);
	log_print(LOG_NOTE,
		  "the peak of %s is not known: the best makes %.3g times the %s measured; does "
		  "the workload state the right FLOPs?",
		  dtype_name(sum->peaks.type),
		  1e9 * sum->flops / sum->best.time.median / sum->peaks.arithmetic.rate, text);
	sum->peaks.arithmetic = (struct peak){0};
	return db_put_peaks(o->db, o->info->fingerprint, &sum->peaks, e);
}

void loop_peaks_find(const struct loop_options *o, struct evaluator *v, int64_t until_ns,
		     struct loop_summary *sum)
{
	bool wanted = sum->has_element && sum->best.found && sum->flops > 0 && sum->bytes > 0 &&
		      !sum->interrupted;
	bool found = false;
	struct asc_err e;

	if (!wanted || !o->peaks || !o->device->peaks || !o->evaluator->peaks)
		return;
	enum asc_status s = db_find_peaks(o->db, o->info->fingerprint, sum->peaks.type, &sum->peaks,
					  &found, &e);

	if (s == ASC_OK && !o->peaks->measured[sum->peaks.type] && is_doubtful(sum) &&
	    there_is_time(until_ns))
		s = measure(o, v, until_ns, sum, &e);
	if (s == ASC_OK && is_exceeded(sum))
		s = forget(o, sum, &e);
	if (s)
		log_print(LOG_WARN, "the peaks of the device are not known: %s", e.text);
}
