#include "tuner/loop/loop_peaks.h"

#include "db/db.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/loop/loop_options.h"
#include "tuner/loop/loop_summary.h"
#include "tuner/run/session.h"

enum { ENOUGH_MOMENTS = 15 };                            /* moments of three programs */
static const int64_t MEASURING_NS = INT64_C(2500000000); /* more than measuring usually takes */

static bool is_exceeded(const struct loop_summary *sum)
{
	const struct roof roof = peaks_roof(&sum->peaks, sum->element);

	return roofline_is_exceeded(&roof, sum->flops, sum->best.time.median);
}

/* True when the peaks may be wrong; an exceeded peak of memory is no sign, since the data may have
 * stayed in caches. */
static bool peaks_are_needed(const struct loop_summary *sum)
{
	const struct peaks *p = &sum->peaks;
	const struct roof roof = peaks_roof(p, sum->element);
	struct roofline place;

	return peaks_find(p, PEAK_ARITHMETIC, dtype_name(sum->element))->moments < ENOUGH_MOMENTS ||
	       peaks_find(p, PEAK_MEMORY, "")->moments < ENOUGH_MOMENTS || is_exceeded(sum) ||
	       (roofline_place(&roof, sum->flops, sum->bytes, sum->best.time.median, &place) &&
		place.part > 1);
}

static enum asc_status measure(struct session *s, struct db *db, int64_t until_ns,
			       struct loop_summary *sum, struct asc_err *e)
{
	struct peaks p;

	s->peaks_measured[sum->element] = true;
	if (s->ops->peaks(s->evaluator, sum->element, &p, until_ns, e))
		return e->status;
	peaks_join(&sum->peaks, &p);
	return db_put_peaks(db, s->target.info->fingerprint, &sum->peaks, e);
}

static enum asc_status forget(const struct session *s, struct db *db, struct loop_summary *sum,
			      struct asc_err *e)
{
	struct peak *row = peaks_row(&sum->peaks, PEAK_ARITHMETIC, dtype_name(sum->element));
	char text[UNITS_TEXT_SIZE];

	units_print_rate(row->rate, row->unit, text);
	log_print(LOG_NOTE,
		  "the peak of %s is not known: the best makes %.3g times the %s measured; does "
		  "the workload state the right FLOPs?",
		  row->type, 1e9 * sum->flops / sum->best.time.median / row->rate, text);
	row->rate = 0;
	return db_put_peaks(db, s->target.info->fingerprint, &sum->peaks, e);
}

void loop_peaks_find(struct session *s, struct db *db, int64_t until_ns, struct loop_summary *sum)
{
	bool wanted = sum->has_element && sum->best.found && sum->flops > 0 && sum->bytes > 0 &&
		      !sum->interrupted;
	struct asc_err e;

	if (!wanted || !s->target.device->peaks || !s->ops->peaks)
		return;
	enum asc_status status =
		db_find_peaks(db, s->target.info->fingerprint, sum->element, &sum->peaks, &e);

	/* The next run measures them where no time is left in this one. */
	if (status == ASC_OK && !s->peaks_measured[sum->element] && peaks_are_needed(sum) &&
	    (until_ns == 0 || until_ns - clock_now_ns() >= MEASURING_NS))
		status = measure(s, db, until_ns, sum, &e);
	if (status == ASC_OK && is_exceeded(sum))
		status = forget(s, db, sum, &e);
	if (status)
		log_print(LOG_WARN, "the peaks of the device are not known: %s", e.text);
}
