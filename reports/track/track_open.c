/* The whole of a history: reading, judging, controlling and explaining all series, in this order.
 */
#include <inttypes.h>

#include "db/overview.h"
#include "reports/track/track_cause.h"
#include "reports/track/track_control.h"
#include "reports/track/track_history.h"
#include "reports/track/track_known.h"

/* Fails with what the database holds instead of a history. */
static enum asc_status refuse_empty(struct db *d, const char *path, struct asc_err *e)
{
	struct db_overview o;

	if (db_find_overview(d, &o, e))
		return e->status;
	if (o.ok_trials == 0)
		return asc_err_set(e, ASC_ABSENT, "%s: nothing was measured", path);
	return asc_err_set(e, ASC_ABSENT,
			   "%s: no history: of %" PRId64 " run%s none is a search that ended with "
			   "a measurement (run --config is no search)",
			   path, o.runs, o.runs == 1 ? "" : "s");
}

enum asc_status track_history_open(struct db *d, const char *path, const struct track_rule *rule,
				   struct track_history **out, struct asc_err *e)
{
	struct track_history *h;

	*out = NULL;
	if (track_history_read(d, &(struct track_choice){0}, 1, &h, e))
		return e->status;
	enum asc_status status =
		h->n == 0 ? refuse_empty(d, path, e) : track_history_follow(h, d, e);

	track_history_drop_unsteady(h);
	if (status == ASC_OK)
		status = track_metrics_add(h, d, e);
	if (status == ASC_OK)
		status = track_history_judge_kept(h, rule, e);
	if (status == ASC_OK)
		status = track_known_place(h, d, rule, e);
	for (size_t k = 0; status == ASC_OK && k < h->n_all; k++)
		status = track_cause_find(&h->list[k], track_history_points(h, k), d, e);
	if (status == ASC_OK)
		status = track_control_find_all(h, e);
	if (status == ASC_OK)
		status = track_known_apply(h, d, e);
	if (status == ASC_OK)
		*out = h;
	else
		track_history_free(h);
	return status;
}
