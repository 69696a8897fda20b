#include "tuner/tune/loop_peaks.h"

#include "db/db.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/result/peaks_file.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/loop_summary.h"

enum { ENOUGH_MOMENTS = 15 };                            /* moments of three programs */
static const int64_t MEASURING_NS = INT64_C(2500000000); /* more than measuring usually takes */

/* True while the peaks may be wrong: `kept`, those measured on this machine, are of few quiet
 * moments, or the best is faster than any known peak allows. */
static bool are_needed(const struct peaks *kept, const struct loop_summary *sum)
{
	struct roofline place;

	return peaks_find(kept, PEAK_ARITHMETIC, dtype_name(sum->element))->moments <
		       ENOUGH_MOMENTS ||
	       peaks_find(kept, PEAK_MEMORY, "")->moments < ENOUGH_MOMENTS ||
	       (loop_summary_place_best(sum, &place) && place.part > 1);
}

/* Measures, and keeps the best of what was measured ever. */
static enum asc_status measure(struct session *s, int64_t until_ns, const struct loop_summary *sum,
			       struct peaks *kept, struct asc_err *e)
{
	struct peaks now;

	s->peaks_measured[sum->element] = true;
	if (s->ops->peaks(s->evaluator, sum->element, &now, until_ns, e))
		return e->status;
	peaks_join(kept, &now);
	return peaks_file_put(s->target.cache, s->target.info->fingerprint, kept, e);
}

void loop_peaks_find(struct session *s, struct db *db, int64_t until_ns, struct loop_summary *sum)
{
	const char *device = s->target.info->fingerprint;
	bool wanted = sum->has_element && sum->best.found && sum->flops > 0 && sum->bytes > 0 &&
		      !sum->interrupted;
	struct peaks kept;
	struct asc_err e;

	if (!wanted || !s->target.device->peaks || !s->ops->peaks)
		return;
	if (peaks_file_read(s->target.cache, device, &kept, &e))
		log_print(LOG_WARN, "%s: the peaks in it are measured again", e.text);
	enum asc_status status = db_find_peaks(db, device, sum->element, &sum->peaks, &e);

	peaks_merge(&sum->peaks, &kept);
	/* The next run measures them where no time is left in this one. */
	const bool needed = !s->peaks_measured[sum->element] && are_needed(&kept, sum);

	sum->peaks_late = needed && until_ns > 0 && until_ns - clock_now_ns() < MEASURING_NS;
	if (status == ASC_OK && needed && !sum->peaks_late)
		status = measure(s, until_ns, sum, &kept, &e);
	peaks_merge(&sum->peaks, &kept);
	if (status == ASC_OK)
		status = db_put_peaks(db, device, &sum->peaks, &e);
	if (status)
		log_print(LOG_WARN, "the peaks of the device are not known: %s", e.text);
}
