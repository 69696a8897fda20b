#include "reports/track/track_runs.h"

#include <inttypes.h>
#include <string.h>

#include "reports/track/ci_text.h"
#include "reports/track/track_write.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/names.h"

static const char *const reached_names[] = {TRACK_REACHED_LIST(NAME_OF_THREE)};
static const char *const reached_meanings[] = {TRACK_REACHED_LIST(MEANING_OF_THREE)};

enum asc_status track_run_find(struct db *d, struct track_run *out, struct asc_err *e)
{
	out->state = (struct db_run_state){0};
	if (d && db_find_run_state(d, out->device, out->simulated, out->workload, out->problem,
				   &out->state, e))
		return e->status;
	out->reached = out->state.run_id == 0                    ? TRACK_MISSING
		       : !*out->state.outcome                    ? TRACK_CUT_SHORT
		       : strcmp(out->state.outcome, "done") != 0 ? TRACK_STOPPED
								 : TRACK_COMPLETE;
	return ASC_OK;
}

static void print_why(const struct track_run *r, struct buf *out)
{
	buf_add_str(out, reached_meanings[r->reached]);
	if (r->reached == TRACK_STOPPED)
		buf_print(out, " (%s)", r->state.outcome);
	if (r->reached == TRACK_COMPLETE && r->state.trials == 0)
		buf_add_str(out, ", every result was recorded before");
	else if (r->state.run_id)
		buf_print(out, ", %" PRId64 " trial%s recorded, %" PRId64 " ok", r->state.trials,
			  r->state.trials == 1 ? "" : "s", r->state.ok_trials);
	if (r->state.history > 0)
		buf_print(out, ", begun with %" PRId64 " earlier results", r->state.history);
}

void track_run_write(const struct track_run *r, struct buf *out)
{
	track_write_texts(out, (const char *const[]){reached_names[r->reached], ": ", r->workload,
						     *r->problem ? "/" : "", r->problem, " on ",
						     r->device, ": ", r->reason, NULL});
	if (!r->reason)
		print_why(r, out);
}

void track_run_write_json(const struct track_run *r, struct buf *out)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "state", reached_names[r->reached]);
	json_write_string(&w, "workload", r->workload);
	json_write_string(&w, "problem", r->problem);
	json_write_string(&w, "device", r->device);
	if (r->state.run_id) {
		json_write_int(&w, "run", r->state.run_id);
		json_write_string(&w, "outcome", *r->state.outcome ? r->state.outcome : NULL);
		json_write_int(&w, "trials", r->state.trials);
		json_write_int(&w, "ok_trials", r->state.ok_trials);
		json_write_int(&w, "history", r->state.history);
	}
	if (r->reason)
		json_write_string(&w, "reason", r->reason);
	json_write_end(&w, '}');
}

void track_run_write_markdown(const struct track_run *r, size_t n, struct buf *out)
{
	enum { ROWS = 50 };
	struct buf why = {0};

	if (n == 0)
		buf_add_str(out,
			    "| cannot measure | problem | device | why |\n|---|---|---|---|\n");
	if (n >= ROWS)
		return;
	print_why(r, &why);
	buf_print(out, "| %s | ", reached_names[r->reached]);
	ci_write_markdown(r->workload, CI_CELL, out);
	buf_add_str(out, *r->problem ? "/" : "");
	ci_write_markdown(r->problem, CI_CELL, out);
	buf_print(out, " | %s | ", r->device);
	ci_write_markdown(r->reason ? r->reason : buf_str(&why), CI_CELL, out);
	buf_add_str(out, " |\n");
	out->failed |= why.failed;
	buf_fini(&why);
}
