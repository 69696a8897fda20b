#include "tuner/cmd/answers/answer_state.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "reports/track/repeat.h"
#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/result/tie.h"

enum asc_status answer_state_init(struct answer_state *s, struct db *d, const char *db,
				  struct asc_err *e)
{
	*s = (struct answer_state){.db = db};
	const enum asc_status status =
		track_history_open(d, command_db_path(db), &track_rule_default, &s->history, e);

	/* Answers need no history: of an interrupted first run there is none. */
	return status == ASC_ABSENT ? ASC_OK : status;
}

void answer_state_fini(struct answer_state *s)
{
	track_history_free(s->history);
	buf_fini(&s->commands);
}

static void separate(struct buf *out)
{
	buf_add_str(out, out->len ? "; " : "");
}

void answer_state_add_ending(struct answer_state *s, const struct repeat_ending *ending,
			     const struct repeat_run *run, struct buf *out)
{
	struct repeat_run again = *run;
	const bool unfinished = repeat_is_unfinished(ending);

	/* A run that ended in order and decided has nothing to go on with. */
	if (!unfinished && !ending->unranked && !ending->undecided)
		return;
	if (unfinished) {
		separate(out);
		repeat_add_ending(out, ending);
	}
	again.db = s->db;
	repeat_go_on(ending, &again);
	buf_add_str(&s->commands, unfinished          ? "go on:"
				  : ending->undecided ? "once more:"
						      : "more time:");
	repeat_add_run(&s->commands, &again);
	buf_add_char(&s->commands, '\n');
}

static const struct track_series *find_failing(const struct answer_state *s,
					       const struct track_kernel *kernel)
{
	return s->history && kernel ? track_history_find_failing(s->history, kernel) : NULL;
}

void answer_state_add_since(const struct answer_state *s, const struct track_kernel *kernel,
			    struct buf *out)
{
	const struct track_series *failing = find_failing(s, kernel);
	char day[TRACK_DAY_SIZE];

	if (!failing)
		return;
	separate(out);
	track_write_state(failing, out);
	buf_add_str(out, ": ");
	if (failing->verdict == TRACK_BROKEN) {
		/* Broken implementations of one kernel have one cause, mostly: one line for all. */
		const size_t more =
			track_history_count_broken(s->history, kernel, failing->newest_run) - 1;

		buf_print(out, "no configuration of %s", failing->implementation);
		if (more)
			buf_print(out, " and of %zu more implementation%s", more,
				  more == 1 ? "" : "s");
		buf_print(out, " passed on %s (run %" PRId64 ")",
			  track_print_day(failing->newest_ms, day), failing->newest_run);
	} else {
		buf_print(out, "%s ", failing->implementation);
		track_write_change(&(struct track_change){failing->change_pct, NAN, NAN, true},
				   out);
		buf_add_str(out, " since ");
		track_write_since(failing, failing->index, out);
	}
}

void answer_state_write_since(const struct answer_state *s, const struct track_kernel *kernel,
			      struct json_writer *w)
{
	const struct track_series *failing = find_failing(s, kernel);
	char day[TRACK_DAY_SIZE];

	if (!failing) {
		json_write_string(w, "since", NULL);
		return;
	}
	const bool broken = failing->verdict == TRACK_BROKEN;
	const char *state = track_state_name(track_series_state(failing));
	const struct track_point *from = broken ? NULL : &failing->points[failing->index];

	json_write_begin(w, "since", '{');
	json_write_string(w, "series", failing->name);
	json_write_string(w, "implementation", failing->implementation);
	json_write_string(w, "verdict", track_verdict_name(failing->verdict));
	if (*state)
		json_write_string(w, "state", state);
	json_write_bool(w, "fails", track_series_fails(failing));
	json_write_real(w, "change_pct", broken ? NAN : failing->change_pct);
	json_write_int(w, "run_id", broken ? failing->newest_run : from->run_id);
	json_write_string(w, "day",
			  track_print_day(broken ? failing->newest_ms : from->started_ms, day));
	json_write_end(w, '}');
}

static struct repeat_ending ending_of(const struct best_row *b)
{
	return (struct repeat_ending){.outcome = b->run_outcome,
				      .budget = b->run_budget,
				      .trials = b->run_trials,
				      .finals = b->final_run_id != 0,
				      .unranked = sure_parse(b->sure) == SURE_UNRANKED,
				      .undecided = b->final_run_id != 0 &&
						   sure_parse(b->sure) == SURE_UNDECIDED};
}

static struct track_kernel kernel_of(const struct best_row *b)
{
	return (struct track_kernel){.device_kind = b->device_kind,
				     .device_model = b->device_model,
				     .machine = b->device_machine,
				     .workload = b->workload,
				     .problem = b->problem,
				     .cache = b->cache_policy,
				     .implementation = b->implementation};
}

void answer_state_write_best(const struct answer_state *s, const struct best_row *b,
			     struct json_writer *w)
{
	const struct repeat_ending ending = ending_of(b);
	const struct track_kernel kernel = kernel_of(b);

	json_write_begin(w, "run", '{');
	json_write_string(w, "outcome", ending.outcome);
	json_write_string(w, "budget", ending.budget);
	if (repeat_is_unfinished(&ending))
		json_write_int(w, "trials", ending.trials);
	json_write_bool(w, "finals", ending.finals);
	json_write_end(w, '}');
	answer_state_write_since(s, b->older ? NULL : &kernel, w);
}

void answer_state_add_best(struct answer_state *s, const struct best_row *b, struct buf *out)
{
	const struct repeat_ending ending = ending_of(b);
	const struct track_kernel kernel = kernel_of(b);

	answer_state_add_ending(s, &ending,
				&(struct repeat_run){.file = b->workload_file,
						     .device = b->device_kind,
						     .problem = b->problem,
						     .cache = b->cache_policy},
				out);
	answer_state_add_since(s, &kernel, out);
	if (!b->failed)
		return;
	separate(out);
	buf_print(out, "nothing passes any more, the time is of run %" PRId64, b->run_id);
}

enum asc_status answer_state_print_commands(struct answer_state *s, struct asc_err *e)
{
	const char *at = buf_str(&s->commands);
	struct prose p;
	enum asc_status status = buf_check(&s->commands, e);

	prose_open(&p, stdout);
	while (status == ASC_OK && *at) {
		const size_t n = strcspn(at, "\n");

		prose_put(&p, INK_PLAIN, "%.*s", (int)n, at);
		prose_end_command(&p, 2);
		at += n + (at[n] == '\n');
	}
	prose_close(&p);
	return status;
}
