#include "tuner/loop/loop_peaks.h"

#include "db/db.h"
#include "tuner/base/log.h"
#include "tuner/device/device.h"
#include "tuner/loop/loop.h"

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static enum asc_status measure(const struct loop_options *o, struct evaluator *v,
			       struct loop_summary *sum, struct asc_err *e)
{
	struct peaks p;

	o->peaks->measured[sum->halves] = true;
	if (o->evaluator->peaks(v, sum->halves, &p, e))
		return e->status;
	sum->peaks.flops = larger(p.flops, sum->peaks.flops);
	sum->peaks.matrix_flops = larger(p.matrix_flops, sum->peaks.matrix_flops);
	sum->peaks.bandwidth = larger(p.bandwidth, sum->peaks.bandwidth);
	return db_put_peaks(o->db, o->info->fingerprint, &sum->peaks, e);
}

/* Not known yet, or exceeded. */
static bool are_doubtful(const struct loop_summary *sum)
{
	const struct peaks peaks = peaks_choose(&sum->peaks, sum->halves);
	struct roofline place;

	if (sum->halves ? sum->peaks.matrix_flops <= 0 : sum->peaks.flops <= 0)
		return true;
	return roofline_place(&peaks, sum->flops, sum->bytes, sum->best.time.median, &place) &&
	       place.part > 1;
}

void loop_peaks_find(const struct loop_options *o, struct evaluator *v, struct loop_summary *sum)
{
	bool wanted = sum->best.found && sum->flops > 0 && sum->bytes > 0 && !sum->interrupted;
	bool found = false;
	struct asc_err e;

	if (!wanted || !o->peaks || !o->device->peaks || !o->evaluator->peaks)
		return;
	enum asc_status s = db_find_peaks(o->db, o->info->fingerprint, &sum->peaks, &found, &e);

	if (s == ASC_OK && !o->peaks->measured[sum->halves] && are_doubtful(sum))
		s = measure(o, v, sum, &e);
	if (s)
		log_print(LOG_WARN, "the peaks of the device are not known: %s", e.text);
}
