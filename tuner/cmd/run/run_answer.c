#include "tuner/cmd/run/run_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/track/repeat.h"
#include "tuner/base/buf.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/build/outcome.h"
#include "tuner/cmd/answers/answer_row.h"
#include "tuner/cmd/profile/profile_text.h"
#include "tuner/cmd/run/run_facts.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/result/setting.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/loop.h"
#include "tuner/tune/recorder.h"
#include "tuner/workload/space/config.h"
#include "tuner/workload/workload.h"

enum {
	INDENT = 2,
	HANG = 2 * INDENT,
	UNDER = 11, /* of lines below a failure: where its reason begins */
	MOST_TIES = 8,
	TIE_COLUMN = 26, /* behind "    +1.2 % (+0.1..+2.3)" */
	FIGURES = 20     /* least width for the figures of a headline */
};

/* ---- the best ---- */

/* Prints why nothing is best. */
static void put_reason(struct prose *p, const struct loop_options *o,
		       const struct loop_summary *sum)
{
	const uint64_t planned = sum->by_status[RESULT_PLANNED];
	char time[UNITS_TEXT_SIZE];

	if (planned > 0 && planned == sum->trials)
		prose_put(p, INK_PLAIN, ": %s fit the memory, and %s",
			  planned == 1 ? "one configuration would" : "the configurations would",
			  o->session->target.info->simulated
				  ? "a stand-in runs a kernel by its twin, which it lacks (standin)"
				  : "nothing here makes a program of a plan");
	else if (sum->trials)
		prose_put(p, INK_PLAIN, ": no configuration passed");
	else if (sum->interrupted && sum->phase == LOOP_REFERENCE)
		prose_put(p, INK_PLAIN, ": %s had not ended after %s",
			  *sum->doing ? sum->doing : "the setting up of inputs",
			  units_print_duration((double)sum->phase_ns[LOOP_REFERENCE], time));
	else
		prose_put(p, INK_PLAIN, ": nothing was tried");
}

static void print_headline(struct prose *p, const char *title, const struct loop_options *o,
			   const struct loop_summary *sum)
{
	prose_put(p, INK_STRONG, "%s", title);
	/* Figures stay together: behind a long title they have a line of their own. */
	if (!prose_has_room(p, FIGURES))
		prose_end(p, INDENT);
	if (sum->best.found) {
		run_facts_put_headline(p, &(struct run_facts){o, sum});
	} else {
		prose_put(p, INK_BAD, "  no usable result");
		put_reason(p, o, sum);
	}
	prose_end(p, INDENT);
}

static void add_setting(struct buf *words, const struct setting *s)
{
	buf_print(words, "%s%.*s=%.*s", words->len ? " " : "", (int)s->name_len, s->name,
		  (int)s->value_len, s->value);
}

/* Returns the hang of words that begin at a column, behind the paragraph so far. If one of the
 * words has no room there, they begin on a line of their own, indented by `least`. */
static size_t begin_words(struct prose *p, size_t column, size_t least, const char *words)
{
	size_t widest = 0;

	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n > widest)
			widest = n;
	}
	if (!p->columns || column + widest <= p->columns)
		return column;
	prose_end(p, least);
	prose_put(p, INK_PLAIN, "%*s", (int)least, "");
	return least;
}

/* Prints the configuration, and the values of the default that differ from it. */
static void print_config(struct prose *p, const struct loop_summary *sum)
{
	const struct loop_trial *best = &sum->best, *d = &sum->default_trial;
	const bool alike = d->found && strcmp(d->implementation, best->implementation) == 0;
	const char *separator = " ";
	struct buf words = {0};
	struct setting s;

	prose_put(p, INK_PLAIN, "  %s  ", best->implementation);
	for (const char *at = buf_str(&best->config); setting_next(&at, &s);)
		add_setting(&words, &s);
	const size_t hang = begin_words(p, INDENT + strlen(best->implementation) + INDENT, HANG,
					buf_str(&words));

	buf_fini(&words);
	prose_put_config(p, buf_str(&best->config), alike ? buf_str(&d->config) : NULL);
	prose_end(p, hang);
	if (sum->default_failure && !d->found) {
		prose_put(p, INK_WARN, "  the default %s", sum->default_failure);
	} else if (run_facts_default_is_best(sum)) {
		prose_put(p, INK_PLAIN, "  the default is the best");
	} else if (d->found) {
		prose_put(p, INK_DIM, "  default:%s%s", alike ? "" : " ",
			  alike ? "" : d->implementation);
		for (const char *at = buf_str(&d->config); setting_next(&at, &s);)
			if (!alike || !setting_is_in(&s, buf_str(&best->config))) {
				prose_put(p, INK_DIM, "%s%.*s=%.*s", separator, (int)s.name_len,
					  s.name, (int)s.value_len, s.value);
			}
	}
	if (p->text.len > 0)
		prose_end(p, HANG);
}

void run_answer_print_profile(struct prose *p, const struct run_options *run,
			      const struct loop_summary *sum)
{
	const struct loop_profile *best = sum->n_profiles > 0 ? &sum->profiles[0] : NULL;
	struct buf label = {0};

	if (!best || !best->found)
		return;
	if (run->profile.wanted) {
		profile_text_print(p, NULL, &best->profile);
		return;
	}
	/* Who did not ask is not told that nothing was found. */
	if (best->profile.label == LABEL_UNKNOWN)
		return;
	profile_text_add_label(&best->profile, &label);
	prose_put(p, INK_DIM, "  %s", buf_str(&label));
	prose_end(p, HANG);
	buf_fini(&label);
}

/* ---- ties ---- */

static bool is_tied(const struct loop_finalist *f)
{
	return standing_may_lead(f->standing, f->winner);
}

/* True for a setting that all ties have. */
static bool all_have(const struct loop_summary *sum, const struct setting *s)
{
	const char *ties[FINALISTS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < sum->n_finalists; i++)
		if (is_tied(&sum->finalists[i]))
			ties[n++] = buf_str(&sum->finalists[i].config);
	return setting_is_common(s, ties, n);
}

/* A ratio as a change in percent. */
static const char *print_change(double ratio, char text[UNITS_TEXT_SIZE])
{
	const double pct = 100 * (ratio - 1);

	return units_print_signed(pct, pct > -9.95 && pct < 9.95, text);
}

/* Prints a tie: its time beside the chosen one's, and its settings that not all ties have. */
static void print_tie(struct prose *p, const struct loop_summary *sum,
		      const struct loop_finalist *f, bool named)
{
	char pct[UNITS_TEXT_SIZE], low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];
	struct buf words = {0};
	struct setting s;

	if (f->winner)
		prose_put(p, INK_PLAIN, "    chosen");
	else if (f->same_code)
		prose_put(p, INK_PLAIN, "    the same code");
	else
		prose_put(p, INK_PLAIN, "    %s %% (%s..%s)", print_change(f->ratio, pct),
			  print_change(f->interval.low, low), print_change(f->interval.high, high));
	prose_pad(p, TIE_COLUMN, INDENT);
	if (named)
		buf_add_str(&words, f->implementation);
	for (const char *at = buf_str(&f->config); setting_next(&at, &s);)
		if (!all_have(sum, &s))
			add_setting(&words, &s);
	const size_t hang = begin_words(p, TIE_COLUMN, HANG + INDENT, buf_str(&words));

	prose_put(p, INK_PLAIN, "%s", buf_str(&words));
	p->text.failed |= words.failed; /* else a line would be shown in part */
	prose_end(p, hang);
	buf_fini(&words);
}

/* Prints the ties, by what distinguishes them; of many the first ones, and the command that has
 * all. */
static void print_ties(struct prose *p, const struct loop_options *o, const char *db,
		       const struct loop_summary *sum)
{
	struct buf command = {0};
	bool named = false; /* they are of several implementations */
	size_t shown = 0;

	for (size_t i = 0; i < sum->n_finalists; i++)
		named |= is_tied(&sum->finalists[i]) &&
			 strcmp(sum->finalists[i].implementation, sum->best.implementation) != 0;
	for (size_t i = 0; i < sum->n_finalists && shown <= MOST_TIES; i++)
		if (is_tied(&sum->finalists[i])) {
			print_tie(p, sum, &sum->finalists[i], named);
			shown++;
		}
	if (sum->sure.ties <= shown)
		return;
	shell_add_program(&command);
	shell_add_argument(&command, "best");
	shell_add_argument(&command, "--json");
	if (o->session->target.info->simulated)
		shell_add_argument(&command, "--simulated");
	shell_add_option(&command, "--db", db);
	prose_put(p, INK_PLAIN, "    and %zu more: ", sum->sure.ties - shown);
	prose_put(p, INK_COMMAND, "%s", buf_str(&command));
	prose_end_command(p, HANG);
	buf_fini(&command);
}

/* Puts the settings that all ties have: what the finals did decide. */
static void put_common(struct prose *p, const struct loop_summary *sum)
{
	struct setting common[CONFIG_MAX_PARAMETERS], s;
	size_t n = 0;

	for (const char *at = buf_str(&sum->best.config); setting_next(&at, &s);)
		if (n < CONFIG_MAX_PARAMETERS && all_have(sum, &s))
			common[n++] = s;
	if (n > 0) {
		prose_put(p, INK_PLAIN, "; ");
		prose_put_common(p, sum->sure.ties, common, n);
	}
}

static uint64_t count_passed(const struct loop_summary *sum)
{
	uint64_t n = 0;

	for (int i = 0; i < RESULT_STATUS_COUNT; i++)
		if (result_status_timed((enum result_status)i))
			n += sum->by_status[i];
	return n;
}

/* Prints how sure the answer is, with what the ties have in common. */
static void print_sure(struct prose *p, const struct loop_options *o, const char *db,
		       const struct loop_summary *sum)
{
	const enum sure sure = sum->sure.sure;
	const bool listed = sum->n_finalists > 0 && sum->sure.ties > 1;
	char text[SURE_TEXT_SIZE];

	prose_put(p, INK_PLAIN, "  ");
	if (sure == SURE_TIE && sum->n_finalists == 0) { /* no finals, or ended before them */
		prose_put(p, INK_PLAIN, "%zu configurations may be as fast", sum->sure.ties);
	} else if (sure == SURE_TIE) {
		prose_put(p, INK_PLAIN, "%zu of %zu finalists may be as fast", sum->sure.ties,
			  sum->n_finalists);
	} else {
		prose_put(p, answer_row_ink(sum->sure.sure), "%s", sure_print(&sum->sure, text));
		if (sure == SURE_CLEAR && sum->n_finalists > 1)
			prose_put(p, INK_PLAIN, " of %zu finalists", sum->n_finalists);
		if (sure == SURE_UNKNOWN && count_passed(sum) == 1)
			prose_put(p, INK_PLAIN, ": one configuration passed");
		else if (sure == SURE_UNKNOWN && sum->n_finalists == 1)
			prose_put(p, INK_PLAIN, ": one finalist passed");
		if (sure == SURE_UNUSABLE)
			prose_put(p, INK_PLAIN, ": slower than the default");
		if (listed)
			prose_put(p, INK_PLAIN, ": %zu of %zu finalists may be the fastest",
				  sum->sure.ties, sum->n_finalists);
	}
	if (listed) {
		put_common(p, sum);
		prose_put(p, INK_PLAIN, ":");
	}
	prose_end(p, HANG);
	if (listed)
		print_ties(p, o, db, sum);
}

/* Prints the command for an answer that is not sure: with more time, if that ran out before the
 * finals, or once more, if these left it undecided. */
static void print_more_time(struct prose *p, const struct run_options *run,
			    const struct loop_options *o, const struct loop_summary *sum)
{
	const bool unranked = sum->sure.sure == SURE_UNRANKED;
	struct repeat_run again = {.file = o->workload->path,
				   .device = run->device,
				   .problem = o->problem->name,
				   .implementation = run->implementation,
				   .cache = cache_policy_name(run->policy.cache),
				   .rewrites_off = run->rewrites_off,
				   .python = run->python,
				   .db = run->db};
	struct buf budget = {0}, command = {0};

	if (!unranked && (sum->sure.sure != SURE_UNDECIDED || sum->n_finalists == 0))
		return;
	recorder_print_budget(&run->budget, &budget);
	repeat_go_on(&(struct repeat_ending){.outcome = "done",
					     .budget = buf_str(&budget),
					     .unranked = unranked,
					     .undecided = !unranked},
		     &again);
	repeat_add_run(&command, &again);
	command.failed |= budget.failed;
	prose_put(p, INK_PLAIN, unranked ? "  more time: " : "  once more: ");
	prose_put(p, INK_COMMAND, "%s", buf_str(&command));
	prose_end_command(p, HANG);
	buf_fini(&command);
	buf_fini(&budget);
}

/* ---- failures ---- */

/* Prints which settings may be the cause, where several failed alike and others passed. */
static void print_cause(struct prose *p, const struct loop_summary *sum, enum result_status status,
			const struct loop_failure *f)
{
	struct setting common[TALLY_MAX_SETTINGS];
	const size_t n = tally_find_common(&sum->tally, f->implementation, status, common);
	size_t ended;

	if (n == 0)
		return;
	(void)tally_count(&sum->tally, f->implementation, status, &ended);
	prose_put(p, INK_PLAIN, "%*s", UNDER, "");
	prose_put_common(p, ended, common, n);
	prose_put(p, INK_PLAIN, ", which nothing that passed has");
	prose_end(p, UNDER + 2);
}

/* Prints that a macro is no parameter, where no configuration of an implementation could be built
 * for want of it: a parameter of that name is missing, or has another name. */
static void print_missing(struct prose *p, const struct loop_options *o,
			  const struct loop_summary *sum, const struct loop_failure *f)
{
	const struct implementation *i =
		workload_find_implementation(o->workload, f->implementation);
	const char *names[CONFIG_MAX_PARAMETERS + 1] = {NULL};
	size_t len = 0, failed;
	const char *at = outcome_find_unknown(f->reason, &len);
	const size_t tried =
		tally_count(&sum->tally, f->implementation, RESULT_BUILD_FAILED, &failed);
	char macro[64];

	if (!i || !at || len >= sizeof macro || failed < tried)
		return;
	(void)snprintf(macro, sizeof macro, "%.*s", (int)len, at);
	/* A name in lower case is a variable that the kernel lacks, and no macro. */
	if (*macro < 'A' || *macro > 'Z' || strpbrk(macro, "abcdefghijklmnopqrstuvwxyz"))
		return;
	for (size_t k = 0; k < i->n_parameters; k++) {
		names[k] = i->parameters[k].name;
		if (strcmp(names[k], macro) == 0)
			return;
	}
	const char *near = str_nearest(macro, names);

	prose_put(p, INK_WARN, "%*sno parameter %s in the workload", UNDER, "", macro);
	if (near)
		prose_put(p, INK_WARN, " (did you mean %s?)", near);
	prose_end(p, UNDER + 2);
}

/* Prints for each status that has failures one example: implementation, configuration and reason;
 * what may be the cause; the command that repeats it. */
static void print_failures(struct prose *p, const struct run_options *run,
			   const struct loop_options *o, const struct loop_summary *sum)
{
	const struct policy *policy = &run->policy;

	for (int i = 0; i < RESULT_STATUS_COUNT; i++) {
		const struct loop_failure *f = &sum->failures[i];
		const size_t alike = i == RESULT_WRONG ? tally_count_alike(&sum->tally) : 0;
		struct buf command = {0};

		if (!f->reason || !f->config)
			continue;
		prose_put(p, INK_BAD, "  %-8s", result_status_name((enum result_status)i));
		prose_put(p, INK_PLAIN, " %s%s%s: %s", f->implementation, *f->config ? " " : "",
			  f->config, f->reason);
		prose_end(p, UNDER);
		print_cause(p, sum, (enum result_status)i, f);
		if (alike > 0) {
			prose_put(p, INK_WARN,
				  "%*sall %zu are wrong alike: suspect the reference, the "
				  "arguments, or code that no parameter changes",
				  UNDER, "", alike);
			prose_end(p, UNDER + 2);
		}
		if (i == RESULT_BUILD_FAILED)
			print_missing(p, o, sum, f);
		/* Options that have their default are left out, for a command that can be read. */
		repeat_add_run(
			&command,
			&(struct repeat_run){.file = o->workload->path,
					     .device = run->device,
					     .problem = o->problem->name,
					     .implementation = f->implementation,
					     .config = f->config,
					     .cache = policy->cache != policy_default.cache
							      ? cache_policy_name(policy->cache)
							      : NULL,
					     .limit_ns = policy->limit_ns != policy_default.limit_ns
								 ? policy->limit_ns
								 : 0,
					     .rewrites_off = run->rewrites_off,
					     .python = run->python,
					     .db = run->db});
		prose_put(p, INK_PLAIN, "%*srepeat: ", UNDER, "");
		prose_put(p, INK_COMMAND, "%s", buf_str(&command));
		prose_end_command(p, UNDER + 2);
		buf_fini(&command);
	}
}

/* ---- the run ---- */

static void print_warnings(struct prose *p, const struct loop_steadiness *s)
{
	const double samples = s->samples > 0 ? (double)s->samples : 1;

	if (loop_was_unsteady(s)) {
		prose_put(p, INK_WARN, "  ! machine busy during %.0f %% of the samples",
			  100 * (double)s->load / samples);
		if (s->clock > 0)
			prose_put(p, INK_WARN, ", its clock low in %.0f %%",
				  100 * (double)s->clock / samples);
		prose_end(p, HANG);
	}
	if (s->hot > 0) {
		prose_put(p, INK_WARN, "  ! heat lowered the clock in %.0f %% of the samples",
			  100 * (double)s->hot / samples);
		prose_end(p, HANG);
	}
}

/* Factor by which a rate is beyond a measured peak: below it, moments differ by as much. */
static const double BEYOND = 1.05;

/* Prints that the best moves or computes more than was measured of the device: `amount` of a unit
 * in its time, where the device's limit is `limit` (0: unknown). */
static void print_beyond(struct prose *p, const struct loop_summary *sum, double amount,
			 double measured, double limit, const char *unit)
{
	const double rate = 1e9 * amount / sum->best.time.median;
	char has[UNITS_TEXT_SIZE], peak[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];

	if (!(measured > 0 && rate > BEYOND * measured))
		return;
	prose_put(p, INK_WARN, "  ! %s, more than the measured %s",
		  units_print_rate(rate, unit, has), units_print_rate(measured, unit, peak));
	if (limit > 0)
		prose_put(p, INK_WARN,
			  rate > limit ? ", and than the device's limit of %s"
				       : "; the device's limit is %s",
			  units_print_rate(limit, unit, most));
	prose_end(p, HANG);
}

/* Prints rates beyond peaks that were measured at a quiet moment. Of bytes the least work counts,
 * since more may be in caches; of operations what the workload says. */
static void print_rates(struct prose *p, const struct loop_summary *sum)
{
	const struct physics *x = &sum->physics;
	const struct roof roof =
		sum->has_element ? peaks_roof(&sum->peaks, sum->element) : (struct roof){0};

	if (!sum->best.found || !(sum->best.time.median > 0))
		return;
	if (!roof.bandwidth_busy)
		print_beyond(p, sum, x->bytes, roof.bandwidth, x->memory, "B/s");
	if (!roof.flops_busy)
		print_beyond(p, sum, sum->flops, roof.flops, x->arithmetic, "FLOP/s");
}

/* Prints the time of the host where it is the longer one. A stand-in's own times are a model's, and
 * no measure beside it. */
static void print_host(struct prose *p, const struct loop_options *o,
		       const struct loop_summary *sum)
{
	struct buf words = {0};

	if (!sum->best.found || !(sum->best.host_ns > 0) || o->session->target.info->simulated)
		return;
	result_print_host(sum->best.host_ns, &words);
	prose_put(p, INK_WARN, "  ! %s", buf_str(&words));
	prose_end(p, HANG);
	buf_fini(&words);
}

static void put_seconds(struct prose *p, const char *name, int64_t ns)
{
	prose_put(p, INK_DIM, "%s %.1f", name, (double)ns * 1e-9);
}

/* Prints counts of trials, and parts of the time that add up to the whole. */
static void print_counts(struct prose *p, const struct loop_summary *sum)
{
	const int64_t building = sum->phase_ns[LOOP_BUILDING], finals = sum->phase_ns[LOOP_FINALS];
	const int64_t measuring = sum->spent_ns[PHASE_LOAD] + sum->spent_ns[PHASE_VERIFY] +
				  sum->spent_ns[PHASE_MEASURE];
	const int64_t other = sum->wall_ns - building - measuring - finals;
	const char *separator = ": ";

	prose_put(p, INK_DIM, "  %llu of %.0f configurations", (unsigned long long)sum->trials,
		  sum->valid);
	for (int i = 0; i < RESULT_STATUS_COUNT; i++)
		if (sum->by_status[i] && i != RESULT_PRUNED) {
			prose_put(p, INK_DIM, "%s%llu %s", separator,
				  (unsigned long long)sum->by_status[i],
				  result_status_name((enum result_status)i));
			separator = ", ";
		}
	if (sum->resumed)
		prose_put(p, INK_DIM, " (%llu from the database)",
			  (unsigned long long)sum->resumed);
	if (sum->same_code)
		prose_put(p, INK_DIM, "; %llu not measured: the same code as another",
			  (unsigned long long)sum->same_code);
	if (sum->by_status[RESULT_PRUNED])
		prose_put(p, INK_DIM, "; %llu refused by the planner, not tried",
			  (unsigned long long)sum->by_status[RESULT_PRUNED]);
	prose_put(p, INK_DIM, "; %.1f s", (double)sum->wall_ns * 1e-9);
	put_seconds(p, ": waiting for compilers", building);
	put_seconds(p, ", measuring", measuring);
	put_seconds(p, ", finals", finals);
	put_seconds(p, ", other", other > 0 ? other : 0);
	prose_put(p, INK_DIM, "%s", sum->interrupted ? " (interrupted)" : "");
	prose_end(p, HANG);
}

/* Prints how sure an answer by energy is: its ties are of energies, and those of the finals are no
 * matter. */
static void print_energy(struct prose *p, const struct loop_summary *sum)
{
	char sure[SURE_TEXT_SIZE];
	struct buf text = {0};

	answer_row_add_energy(&sum->energy, &text);
	prose_put(p, answer_row_ink(sum->sure.sure), "  %s", sure_print(&sum->sure, sure));
	prose_put(p, INK_PLAIN, "%s%s: %s", *sure ? " by " : "by ",
		  objective_name(sum->energy.objective), buf_str(&text));
	prose_end(p, HANG);
	buf_fini(&text);
}

void run_answer_print(struct prose *p, const char *title, const struct run_options *run,
		      const struct loop_options *o, const struct loop_summary *sum)
{
	print_headline(p, title, o, sum);
	if (sum->best.found) {
		run_answer_print_profile(p, run, sum);
		print_config(p, sum);
		if (sum->energy.objective != OBJECTIVE_TIME)
			print_energy(p, sum);
		else
			print_sure(p, o, run->db, sum);
		print_more_time(p, run, o, sum);
	}
	print_warnings(p, &sum->steady);
	print_rates(p, sum);
	print_host(p, o, sum);
	print_failures(p, run, o, sum);
	run_facts_print_patience(p, &(struct run_facts){o, sum});
	print_counts(p, sum);
	if (run->verbose)
		run_facts_print_verbose(p, &(struct run_facts){o, sum});
	fflush(p->to);
}
