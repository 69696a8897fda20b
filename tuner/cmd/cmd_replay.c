/* asctune replay: scores a search strategy on recorded results. */
#include <stdio.h>
#include <stdlib.h>

#include "reports/exchange/formats/recorded.h"
#include "reports/page/plot/picture.h"
#include "reports/page/plot/plot_svg.h"
#include "reports/page/plot/plotter.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/output.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/replay/replay.h"
#include "tuner/tune/search/strategy.h"

extern const struct command replay_command;

enum {
	KEY_RUNS = 256,
	KEY_SEED,
	KEY_AHEAD,
	KEY_HISTORY,
	KEY_PLOT,
	KEY_WITHIN,
	KEY_TOGETHER,
	KEY_PATIENCE,
	MAX_WITHIN = 1000,
	MAX_RUNS = 10000,
	MAX_AHEAD = TRIALS_MAX
};

struct replay_command_options {
	struct replay_options replay;
	bool json, together;
	uint64_t within_pct; /* 0: not asked for */
	const char *history, *plot;
	const char **files;
	size_t n_files;
};

static uint64_t parse_count(struct argp_state *state, const char *name, const char *arg,
			    uint64_t least, uint64_t most)
{
	uint64_t n;

	command_parse_count(state, name, arg, least, &n);
	if (n > most)
		command_refuse(state, "--%s: \"%s\" is more than %llu", name, arg,
			       (unsigned long long)most);
	return n;
}

static void check_options(struct argp_state *state, const struct replay_command_options *o)
{
	if (o->together && o->history)
		command_refuse(state, "--together: --history does not go with it");
	if (o->within_pct > 0 && patience_is_wanted(&o->replay.patience))
		command_refuse(state, "--within: --patience does not go with it");
	if (o->together && o->n_files > REPLAY_MAX_ARMS)
		command_refuse(state, "--together: at most %d files", REPLAY_MAX_ARMS);
}

static error_t parse_replay(int key, char *arg, struct argp_state *state)
{
	struct replay_command_options *o = state->input;

	switch (key) {
	case 's': command_parse_strategy(state, arg, &o->replay.strategy); break;
	case KEY_RUNS: o->replay.runs = parse_count(state, "runs", arg, 1, MAX_RUNS); break;
	case KEY_SEED: command_parse_count(state, "seed", arg, 0, &o->replay.seed); break;
	case KEY_AHEAD:
		o->replay.ahead = (size_t)parse_count(state, "ahead", arg, 0, MAX_AHEAD);
		break;
	case KEY_HISTORY: o->history = arg; break;
	case KEY_PLOT: o->plot = arg; break;
	case KEY_WITHIN:
		o->within_pct = parse_count(state, "within", arg, 1, MAX_WITHIN);
		o->replay.within = (double)o->within_pct / 100;
		break;
	case KEY_PATIENCE: command_parse_patience(state, arg, &o->replay.patience); break;
	case KEY_TOGETHER: o->together = true; break;
	case 'j': o->json = true; break;
	case ARGP_KEY_END: check_options(state, o); break;
	case ARGP_KEY_ARG: o->files[o->n_files++] = arg; break;
	case ARGP_KEY_NO_ARGS: command_refuse(state, "at least one FILE is needed"); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option options[] = {
	{"strategy", 's', "STRATEGY", 0,
	 "search strategy, one of `asctune list strategies` (default auto)", 0},
	{"runs", KEY_RUNS, "N", 0, "number of runs on each file (default 25)", 0},
	{"seed", KEY_SEED, "N", 0, "seed of the first run; each has the next one (default 1)", 0},
	{"ahead", KEY_AHEAD, "N", 0,
	 "number of configurations that are asked for before the first result (default 1); 0: "
	 "as many as the strategy gives, at most 256",
	 0},
	{"history", KEY_HISTORY, "FILE", 0,
	 "results that the strategy begins with, of the same parameters on another device or "
	 "problem (default: none)",
	 0},
	{"together", KEY_TOGETHER, NULL, 0,
	 "takes the files as implementations of one problem, which share the budget of each run",
	 0},
	{"within", KEY_WITHIN, "PERCENT", 0,
	 "shows the median number of evaluations to a configuration within PERCENT of the optimum; "
	 "runs go on for that after the budget",
	 0},
	{"patience", KEY_PATIENCE, "PCT%|N", 0,
	 "ends runs before their budget as `asctune run --patience` does (default: none)", 0},
	{"plot", KEY_PLOT, "FILE.svg", 0,
	 "draws the scores over time beside random search (gnuplot 5.4)", 0},
	{"json", 'j', NULL, 0, "prints JSON lines: each file, the summary", 0},
	{0}};
static const struct argp replay_argp = {
	options,
	parse_replay,
	"FILE...",
	"Scores a search strategy on recorded results, without a device: files in the T4 format "
	"and "
	"cache files of Kernel Tuner, packed with gzip or not, that have every configuration of a "
	"space.\vA run spends the recorded time of each evaluation. The score is 0 where the "
	"strategy is as good as random search, 1 where it has the optimum from the start, and "
	"below 0 where it is worse than random search: averaged over the time that random search "
	"takes for 95 % of the way from the median to the optimum, over runs and over files "
	"(Willemsen et al., 2024). 25 runs leave about 0.1 of chance on one file.",
	0,
	0,
	0};

/* ---- output ---- */

static enum asc_status show_json(const struct replay_command_options *o, const struct recorded *r,
				 const struct replay_summary *s, struct asc_err *e)
{
	const struct score_space *c = &s->space;
	struct buf text = {0};
	struct json_writer w = {&text, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "file");
	json_write_string(&w, "file", r->name);
	json_write_count(&w, "configurations", r->n);
	json_write_count(&w, "valid", r->n_valid);
	if (r->configurations > 0)
		json_write_count(&w, "space_configurations", (uint64_t)r->configurations);
	json_write_real(&w, "optimum_ns", c->optimum_ns);
	json_write_real(&w, "median_ns", c->median_ns);
	json_write_real(&w, "cutoff_ns", c->cutoff_ns);
	json_write_count(&w, "start_evaluations", c->start_evals);
	json_write_count(&w, "cutoff_evaluations", c->end_evals);
	json_write_real(&w, "start_s", c->start_s);
	json_write_real(&w, "cutoff_s", c->end_s);
	json_write_real(&w, "evaluation_s", c->eval_s);
	json_write_real(&w, "score", s->score.mean);
	json_write_real(&w, "evaluations", s->evals);
	if (o->together) {
		json_write_begin(&w, "evaluations_of", '[');
		for (size_t i = 0; i < o->n_files; i++)
			json_write_real(&w, NULL, s->evals_of[i]);
		json_write_end(&w, ']');
	}
	if (o->within_pct)
		json_write_real(&w, "evaluations_within", s->evals_within);
	if (s->worst_rank != SCORE_NO_RANK) /* from 1, as people count */
		json_write_count(&w, "worst_rank", (uint64_t)s->worst_rank + 1);
	json_write_real(&w, "best_over_optimum", s->ratio);
	json_write_real(&w, "cpu_s", s->cpu_s);
	json_write_real(&w, "most_cpu_s", s->most_cpu_s);
	json_write_end(&w, '}');
	return command_print_line(&text, e);
}

/* Remarks whether the record is one of a whole space: scores count what is not in it as not there.
 */
static void add_remark(struct table *t, const struct recorded *r)
{
	/* Files say one of three things: how many configurations there are, how many combinations
	 * of values, or nothing. */
	if (r->configurations > (double)r->n)
		table_warn(t,
			   "%zu of %.0f configurations: the score leaves the others out, and with "
			   "them what may be the optimum",
			   r->n, r->configurations);
	else if (r->configurations > 0 || r->combinations == (double)r->n)
		table_note(t, "complete");
	else if (r->combinations > 0)
		table_note(t,
			   "%zu of %.0f combinations of values: taken as all that its conditions "
			   "allow",
			   r->n, r->combinations);
	else
		table_note(t, "taken as complete: nothing says how large the space is");
}

static void add_row(const struct replay_command_options *o, struct table *t,
		    const struct recorded *r, const struct replay_summary *s)
{
	table_add(t, "%s", r->name);
	table_add(t, "%zu", r->n);
	table_add(t, "%zu", r->n_valid);
	table_add(t, "%.3f", s->score.mean);
	table_add(t, "%.1f", s->evals);
	if (s->worst_rank == SCORE_NO_RANK)
		table_add(t, "none");
	else
		table_add(t, "%u", s->worst_rank + 1);
	if (o->within_pct)
		table_add(t, "%.1f", s->evals_within);
	table_add(t, "%.1f ms", 1e3 * s->cpu_s);
	add_remark(t, r);
}

static enum asc_status show_mean(const struct replay_command_options *o, double mean,
				 struct asc_err *e)
{
	const char *name = o->replay.strategy ? o->replay.strategy->name : "auto";
	struct buf text = {0};
	struct json_writer w = {&text, false};

	if (!o->json) {
		prose_say(stdout, 2, "mean score of %s: %.3f", name, mean);
		return ASC_OK;
	}
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "summary");
	json_write_string(&w, "strategy", name);
	json_write_count(&w, "runs", o->replay.runs);
	json_write_count(&w, "seed", o->replay.seed);
	json_write_real(&w, "mean", mean);
	json_write_end(&w, '}');
	return command_print_line(&text, e);
}

/* ---- files ---- */

struct replayed {
	struct recorded *recorded; /* of a file, or of all together */
	struct replay_summary summary;
};

static enum asc_status replay_file(const struct replay_command_options *o, const char *path,
				   struct replayed *out, struct asc_err *e)
{
	if (recorded_open(path, &out->recorded, e))
		return e->status;
	const struct recorded *arm = out->recorded;
	const struct replay_subject subject = {&arm, 1, arm};

	return replay(&subject, &o->replay, &out->summary, e) ? asc_err_wrap(e, "%s", path)
							      : ASC_OK;
}

static enum asc_status replay_together(const struct replay_command_options *o, struct replayed *out,
				       struct asc_err *e)
{
	struct recorded *files[REPLAY_MAX_ARMS] = {NULL};
	const struct recorded *arms[REPLAY_MAX_ARMS];
	enum asc_status status = ASC_OK;

	for (size_t i = 0; !status && i < o->n_files; i++) {
		status = recorded_open(o->files[i], &files[i], e);
		arms[i] = files[i];
	}
	if (!status)
		status = recorded_join(arms, o->n_files, &out->recorded, e);
	const struct replay_subject subject = {arms, o->n_files, out->recorded};

	if (!status)
		status = replay(&subject, &o->replay, &out->summary, e);
	for (size_t i = 0; i < o->n_files; i++)
		recorded_close(files[i]);
	return status;
}

/* Number of rows of the output: files that are taken together have one. */
static size_t count_replayed(const struct replay_command_options *o)
{
	return o->together ? 1 : o->n_files;
}

static enum asc_status show_all(const struct replay_command_options *o, const struct replayed *list,
				struct asc_err *e)
{
	const size_t n = count_replayed(o);
	enum asc_status status = ASC_OK;
	char within[64] = "";
	double sum = 0;
	struct table t;

	if (o->within_pct)
		(void)snprintf(within, sizeof within, "|>to within %d %%", (int)o->within_pct);
	/* The header depends on an option: a column that nobody asked for is none. */
	char *header = str_print("file|>configurations|>valid|>score|>evaluations|>worst run's "
				 "rank%s|>CPU a run",
				 within);
	if (!header)
		return asc_err_nomem(e);
	table_init(&t, header);
	for (size_t i = 0; status == ASC_OK && i < n; i++) {
		sum += list[i].summary.score.mean;
		if (o->json)
			status = show_json(o, list[i].recorded, &list[i].summary, e);
		else
			add_row(o, &t, list[i].recorded, &list[i].summary);
	}
	if (!o->json)
		status = table_print(&t, stdout, e);
	if (status == ASC_OK)
		status = show_mean(o, sum / (double)n, e);
	table_fini(&t);
	free(header);
	return status;
}

static enum asc_status draw(const struct replay_command_options *o, const struct plotter *g,
			    const struct replayed *list, struct asc_err *e)
{
	const size_t n = count_replayed(o);
	struct picture_curve *curves = calloc(n, sizeof *curves);
	const struct picture_replay data = {curves, n, SCORE_POINTS};
	struct picture p = {.kind = PICTURE_REPLAY,
			    .data.replay = &data,
			    .id = "replay",
			    .title = "Scores of a search strategy on recorded results",
			    .description = "0 is as good as random search, 1 the optimum."};

	struct buf text = {0};

	if (!curves)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++)
		curves[i] =
			(struct picture_curve){list[i].recorded->name, list[i].summary.score.at};
	enum asc_status status = pictures_draw(g, &p, 1, e);

	/* Drawn or not: a picture has an svg or a reason. */
	if (status == ASC_OK && !p.svg)
		status = asc_err_set(e, ASC_CHILD, "%s: %s", o->plot, p.reason);
	if (status == ASC_OK) {
		plot_svg_print_file(&p, &text);
		status = buf_check(&text, e);
	}
	if (status == ASC_OK)
		status = output_write(o->plot, PLOT_SVG_MARK, buf_str(&text), text.len, e);
	buf_fini(&text);
	picture_fini(&p);
	free(curves);
	return status;
}

static enum asc_status replay_all(const struct replay_command_options *o, struct replayed *list,
				  struct asc_err *e)
{
	struct plotter g = {0};
	enum asc_status status = ASC_OK;

	/* The program that draws is looked for first: a replay takes minutes, which a missing
	 * gnuplot would waste. */
	if (o->plot && plotter_open(&g, NULL, e))
		status = e->status;
	else if (o->plot && !g.program)
		status =
			asc_err_set(e, ASC_ABSENT, "--plot: no picture can be drawn: %s", g.reason);
	if (status == ASC_OK && o->together)
		status = replay_together(o, &list[0], e);
	for (size_t i = 0; status == ASC_OK && !o->together && i < o->n_files; i++)
		status = replay_file(o, o->files[i], &list[i], e);
	if (status == ASC_OK)
		status = show_all(o, list, e);
	if (status == ASC_OK && o->plot)
		status = draw(o, &g, list, e);
	plotter_close(&g);
	return status;
}

static enum asc_status open_and_replay(struct replay_command_options *o, struct asc_err *e)
{
	struct replayed *list = calloc(o->n_files, sizeof *list);
	struct recorded *history = NULL;
	enum asc_status status = list ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK && o->history)
		status = recorded_open(o->history, &history, e);
	o->replay.history = history;
	if (status == ASC_OK)
		status = replay_all(o, list, e);
	for (size_t i = 0; list && i < o->n_files; i++)
		recorded_close(list[i].recorded);
	recorded_close(history);
	free(list);
	return status;
}

static int replay_main(int argc, char **argv)
{
	struct replay_command_options o = {
		.replay = {.runs = 25, .seed = 1, .ahead = 1},
		.files = calloc((size_t)argc, sizeof *o.files),
	};
	struct asc_err e;

	if (!o.files) {
		asc_err_nomem(&e);
		return command_fail(&e);
	}
	command_parse(&replay_argp, argc, argv, &o);
	if (o.replay.ahead == 0) /* as many as the strategy gives */
		o.replay.ahead = MAX_AHEAD;
	enum asc_status status = open_and_replay(&o, &e);

	free(o.files);
	return status ? command_fail(&e) : EXIT_DONE;
}

const struct command replay_command = {"replay", "scores a search strategy on recorded results",
				       &replay_argp, replay_main};
