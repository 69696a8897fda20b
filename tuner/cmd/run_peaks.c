#include "tuner/cmd/run_peaks.h"

#include "db/db.h"
#include "tuner/base/log.h"
#include "tuner/device/device.h"
#include "tuner/loop/loop.h"
#include "tuner/run/ask_peaks.h"

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static enum asc_status measure(struct run_peaks *r, const struct loop_options *o,
			       struct loop_summary *sum, struct asc_err *e)
{
	struct peaks p;

	r->measured = true;
	if (ask_peaks(o->program, o->device, o->ordinal, &p, e))
		return e->status;
	sum->peaks.flops = larger(p.flops, sum->peaks.flops);
	sum->peaks.matrix_flops = larger(p.matrix_flops, sum->peaks.matrix_flops);
	sum->peaks.bandwidth = larger(p.bandwidth, sum->peaks.bandwidth);
	return db_put_peaks(o->db, o->info->fingerprint, &sum->peaks, e);
}

/* None yet, or exceeded. */
static bool are_doubtful(const struct loop_summary *sum, bool found)
{
	struct roofline place;

	if (!found)
		return true;
	const struct peaks peaks = peaks_choose(&sum->peaks, sum->halves);
	return roofline_place(&peaks, sum->flops, sum->bytes, sum->best.time.median, &place) &&
	       place.part > 1;
}

void run_peaks_find(struct run_peaks *r, const struct loop_options *o, struct loop_summary *sum)
{
	bool wanted = sum->best.found && sum->flops > 0 && sum->bytes > 0 && !sum->interrupted;
	bool found = false;
	struct asc_err e;

	if (!wanted || !o->device->peaks)
		return;
	enum asc_status s = db_find_peaks(o->db, o->info->fingerprint, &sum->peaks, &found, &e);

	if (s == ASC_OK && !r->measured && are_doubtful(sum, found))
		s = measure(r, o, sum, &e);
	if (s)
		log_print(LOG_WARN, "the peaks of the device are not known: %s", e.text);
}
