/* asctune best: the best configuration of every problem on every device, with its evidence. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "db/db.h"
#include "reports/export/best_json.h"
#include "tuner/base/buf.h"
#include "tuner/base/json.h"
#include "tuner/base/units.h"
#include "tuner/binding/workload_open.h"
#include "tuner/cmd/best_watch.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/table.h"

extern const struct command best_command;

struct best_options {
	const char *file, *db;
	bool json, watch, all, simulated;
	int64_t every_ns; /* interval, with `watch` */
};

struct best {
	struct table table;
	int rows;
	bool all, simulated;
};

/* Prints {"BLOCK_M":64} as BLOCK_M=64, in file order; the text itself when it is no object. */
static void print_config(const char *config_json, struct buf *out)
{
	struct json_doc *doc = NULL;
	struct asc_err e;

	if (json_open_text("configuration", config_json, strlen(config_json), &doc, &e)) {
		buf_add_str(out, config_json);
		return;
	}
	for (const struct json_node *n = json_first(json_root(doc)); n; n = json_next(n)) {
		struct value v = value_int(0);
		char text[64] = "";

		if (json_get_choice(n, &v, &e) == ASC_OK)
			value_print(v, text, sizeof text);
		buf_print(out, "%s%s=%s", out->len ? "," : "", json_key(n), text);
	}
	json_close(doc);
}

/* Prints a value; nothing where it is unknown. */
static void add_amount(struct table *t, const char *unit, double amount)
{
	char text[40] = "";

	if (amount > 0)
		(void)snprintf(text, sizeof text, "%.*f%s", *unit == 'x' ? 2 : 0, amount, unit);
	table_add(t, "%s", text);
}

/* Half the width of the interval of the median, in percent of it; with too few samples that of the
 * middle half. */
static double half_width_pct(const struct db_best *r)
{
	bool known = !isnan(r->low_ns) && !isnan(r->high_ns);
	double width = known ? r->high_ns - r->low_ns : r->q3_ns - r->q1_ns;

	return r->median_ns > 0 ? 50 * width / r->median_ns : 0;
}

static enum asc_status show_row(void *user, const struct db_best *r, struct asc_err *e)
{
	struct best *b = user;
	struct buf config = {0};
	const struct sureness sure = {sure_parse(r->sure), (size_t)r->n_ties, r->noise_pct};
	char text[UNITS_TEXT_SIZE], words[SURE_TEXT_SIZE];

	print_config(r->config_json, &config);
	b->rows++;
	table_add(&b->table, "%s/%s", r->workload, r->problem);
	table_add(&b->table, "%s: %s", r->device_kind, r->device_model);
	if (b->all)
		table_add(&b->table, "%s%s", r->device_driver ? r->device_driver : "",
			  r->older ? " (older)" : "");
	table_add(&b->table, "%s", r->implementation);
	table_add(&b->table, "%s", buf_str(&config));
	table_add(&b->table, "%s%s", units_print_duration(r->median_ns, text),
		  b->simulated ? " simulated" : "");
	add_amount(&b->table, " MHz", r->clock_mhz);
	table_add(&b->table, "%s", r->cache_policy ? r->cache_policy : "");
	table_add(&b->table, "±%.1f %%", half_width_pct(r));
	table_add(&b->table, "%s", sure_print(&sure, words));
	table_add(&b->table, "%s",
		  r->flops > 0 ? units_print_rate(1e9 * r->flops / r->median_ns, "FLOP/s", text)
			       : "");
	if (r->bound)
		table_add(&b->table, "%.0f %% (%s)", 100 * r->attainable_part, r->bound);
	else
		table_add(&b->table, "%s", "");
	add_amount(&b->table, "x", r->default_ns / r->median_ns);
	add_amount(&b->table, "x", r->vs_baseline);
	table_add(&b->table, "%lld/%lld", (long long)r->ok_trials, (long long)r->trials);
	enum asc_status status = buf_check(&config, e);

	buf_fini(&config);
	return status;
}

static enum asc_status write_row(void *user, const struct db_best *r, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	((struct best *)user)->rows++;
	json_write_begin(&w, NULL, '{');
	enum asc_status status = best_json_write_members(&w, r, e);

	json_write_bool(&w, "simulated", ((struct best *)user)->simulated);
	json_write_end(&w, '}');
	if (status == ASC_OK)
		return command_print_line(&line, e);
	buf_fini(&line);
	return status;
}

static enum asc_status show_all(const struct best_options *o, const char *workload,
				struct asc_err *e)
{
	struct best b = {.all = o->all, .simulated = o->simulated};
	enum asc_status (*const each)(struct db *, const char *, db_best_fn *, void *,
				      struct asc_err *) = o->all         ? db_each_best_ever
							  : o->simulated ? db_each_best_simulated
									 : db_each_best;
	struct db *db = NULL;
	const char *path = command_db_path(o->db);
	enum asc_status status = db_open(path, DB_READ, &db, e);

#define COLUMNS                                                                                    \
	"IMPLEMENTATION|CONFIGURATION|>MEDIAN|>CLOCK|CACHE|>INTERVAL|SURE|"                        \
	">RATE|>OF ATTAINABLE|>VS DEFAULT|>VS BASELINE|>OK/TRIALS"
	table_init(&b.table, o->all ? "PROBLEM|DEVICE|DRIVER|" COLUMNS : "PROBLEM|DEVICE|" COLUMNS);
	if (status == ASC_OK)
		status = each(db, workload, o->json ? write_row : show_row, &b, e);
	if (status == ASC_OK && b.rows == 0)
		status = asc_err_set(e, ASC_NOTFOUND, "%s: no verified result%s%s that was %s",
				     path, workload ? " of " : "", workload ? workload : "",
				     o->simulated ? "simulated" : "measured");
	if (status == ASC_OK && !o->json)
		status = table_print_fitting(&b.table, stdout, e);
	table_fini(&b.table);
	db_close(db);
	return status;
}

static enum asc_status show_or_watch(const struct best_options *o, const char *workload,
				     struct asc_err *e)
{
	const struct watch_options watch = {.path = command_db_path(o->db),
					    .workload = workload,
					    .every_ns = o->every_ns,
					    .json = o->json};

	return o->watch ? best_watch(&watch, e) : show_all(o, workload, e);
}

/* Parses the seconds of --watch, a number without a unit too. */
static void parse_watch(struct argp_state *state, const char *arg, struct best_options *o)
{
	const int64_t second = INT64_C(1000000000);
	char text[UNITS_TEXT_SIZE];
	bool bare = strspn(arg, "0123456789.") == strlen(arg);

	(void)snprintf(text, sizeof text, "%s%s", arg, bare ? "s" : "");
	o->watch = true;
	if (!units_parse_duration(text, &o->every_ns) || o->every_ns < second / 10 ||
	    o->every_ns > 3600 * second)
		command_refuse(state, "--watch: \"%s\" is no time from 0.1 to 3600 s", arg);
}

static error_t parse_best(int key, char *arg, struct argp_state *state)
{
	struct best_options *o = state->input;

	switch (key) {
	case 'd': o->db = arg; return 0;
	case 'j': o->json = true; return 0;
	case 'a': o->all = true; return 0;
	case 's': o->simulated = true; return 0;
	case 'w': parse_watch(state, arg ? arg : "1", o); return 0;
	case ARGP_KEY_END:
		if (o->simulated && (o->all || o->watch))
			command_refuse(state, "--simulated does not go with --%s",
				       o->all ? "all" : "watch");
		return 0;
	case ARGP_KEY_ARG: break;
	default: return ARGP_ERR_UNKNOWN;
	}
	if (state->arg_num > 0)
		command_refuse(state, "one FILE at a time");
	o->file = arg;
	return 0;
}

static const struct argp_option best_options[] = {
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"json", 'j', NULL, 0, "prints one JSON object a line", 0},
	{"all", 'a', NULL, 0, "shows also results of older drivers of the same machines", 0},
	{"simulated", 's', NULL, 0,
	 "shows, instead of measured results, those on stand-ins of devices (npu:sim:SOC), whose "
	 "times a model gives",
	 0},
	{"watch", 'w', "SECONDS", OPTION_ARG_OPTIONAL,
	 "follows the runs that other processes are making: looks again every SECONDS (1) "
	 "until Ctrl-C; where stdout is no terminal, prints a line for each change",
	 0},
	{0}};
static const struct argp best_argp = {
	best_options,
	parse_best,
	"[FILE]",
	"Shows the best configuration of every problem on every device, or only those of "
	"the workload FILE.\vMEDIAN is that of the rounds of the finals, or of the "
	"samples of one trial where no finals were held; INTERVAL is half of its 95 % "
	"confidence interval, or of the middle half of too few samples for one. SURE is one of: "
	"clear winner; N tie (so many configurations may be as "
	"fast); too noisy to rank; no usable result (slower than its default). Cold and "
	"hot caches have a row each. OF ATTAINABLE is the reached part of the rate that "
	"the device can reach at the problem's FLOPs per byte, and what limits that "
	"rate.",
	0,
	0,
	0};

static int best_main(int argc, char **argv)
{
	struct best_options o = {0};
	struct workload *w = NULL;
	struct asc_err e;
	enum asc_status status = ASC_OK;

	command_parse(&best_argp, argc, argv, &o);
	if (o.file)
		status = workload_open(o.file, &w, &e);
	if (status == ASC_OK)
		status = show_or_watch(&o, w ? w->name : NULL, &e);
	workload_close(w);
	return status ? command_fail(&e) : EXIT_DONE;
}

const struct command best_command = {"best", "shows the best configurations", &best_argp,
				     best_main};
