/* asctune best: the best configuration of every problem on every device, with its evidence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/run_view.h"
#include "reports/results/best.h"
#include "reports/tables/best_json.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/cmd/answers/answer_row.h"
#include "tuner/cmd/answers/answer_state.h"
#include "tuner/cmd/answers/best_watch.h"
#include "tuner/cmd/answers/unsupported.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/profile/profile_text.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/result/roofline.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/workload.h"

extern const struct command best_command;

struct best_options {
	const char *file, *db;
	bool json, watch, all, simulated, indices;
	enum objective by;
	int64_t every_ns; /* interval, with `watch` */
};

struct best_line {
	size_t order, of;     /* number of the row, and of that of its answer, which it may be */
	char *title, *place;  /* heap; place: device and caches */
	char *implementation; /* heap */
	int64_t index;        /* of its implementation in a library; negative: none */
	bool failed;          /* nothing passes any more, the time is what passed last */
	struct answer_row row;
	struct buf note, limit; /* limit: what limits it; "": not known */
	struct buf state;       /* what makes it an early or an old answer; "": nothing */
	struct buf json;        /* of a table in JSON: the begun object of a line; else "" */
	bool older;
};

struct best {
	struct best_line *rows;
	size_t n, room, found; /* found: answers, with a row or printed as JSON */
	struct best_answer {   /* what the rows of indices stand behind */
		char *subject; /* heap */
		char *implementation;
		int64_t index;
		size_t row;
	} * answers;
	size_t n_answers, answers_room;
	size_t found_last; /* number of the answer that a row of an index was found behind */
	bool json, all, simulated, indices;
	struct answer_state state;
	struct unsupported unsupported;
};

/* Prints {"BLOCK_M":64,"ROWS":4} as BLOCK_M=64 ROWS=4, in file order; the text itself when it is no
 * object. */
static void print_config(const char *config_json, struct buf *out)
{
	struct json_doc *doc = NULL;
	struct asc_err e;

	if (json_open_text("configuration", config_json, strlen(config_json), &doc, &e)) {
		buf_add_str(out, config_json);
		out->failed |= e.status == ASC_NOMEM;
		return;
	}
	for (const struct json_node *n = json_first(json_root(doc)); n; n = json_next(n)) {
		struct value v = value_int(0);
		char text[64] = "";

		if (json_get_choice(n, &v, &e) == ASC_OK)
			value_print(v, text, sizeof text);
		buf_print(out, "%s%s=%s", out->len ? " " : "", json_key(n), text);
	}
	json_close(doc);
}

/* The second line of a row: implementation and configuration, the rate, how noisy the ratios are.
 */
static void add_note(const struct best_row *r, const struct sureness *sure, bool simulated,
		     struct buf *text)
{
	enum verified_by by;
	char noise[SURE_TEXT_SIZE];
	char rate[UNITS_TEXT_SIZE];
	struct buf config = {0};

	print_config(r->config_json, &config);
	implementation_print_name(r->implementation, r->implementation_index, text);
	buf_print(text, "%s%s", config.len ? " " : "", buf_str(&config));
	if (r->flops > 0)
		buf_print(text, "; %s",
			  units_print_rate(1e9 * r->flops / r->median_ns, "FLOP/s", rate));
	if (r->clock_mhz > 0)
		buf_print(text, " at %.0f MHz", r->clock_mhz);
	if (*sure_print_noise(sure, noise))
		buf_print(text, "; %s", noise);
	/* Without words it is what everybody expects: numbers in float64. */
	if (r->verified_by && verified_by_parse(r->verified_by, &by) && by != VERIFIED_FLOAT64)
		buf_print(text, "; verified by %s", verified_by_words(by));
	if (r->bits.varied > 0) {
		buf_add_str(text, "; bits ");
		result_bits_print(&r->bits, text);
	}
	if (r->host_ns > 0 && !simulated) {
		buf_add_str(text, "; ");
		result_print_host(r->host_ns, text);
	}
	if (best_has_older_source(r))
		buf_add_str(text, "; measured with an older source of the kernel");
	if (r->energy.objective != OBJECTIVE_TIME) {
		buf_add_str(text, "; ");
		answer_row_add_energy(&r->energy, text);
	}
	text->failed |= config.failed;
	buf_fini(&config);
}

/* Prints the subject of a row: workload, problem, device and caches. */
static char *print_subject(const struct best_row *r)
{
	return str_print("%s/%s/%s/%s", r->workload, r->problem, r->device_fingerprint,
			 r->cache_policy ? r->cache_policy : "");
}

/* Keeps an answer, whose row will be the next one. */
static enum asc_status keep_answer(struct best *b, const struct best_row *r, struct asc_err *e)
{
	if (!array_room(&b->answers, b->n_answers, &b->answers_room, sizeof *b->answers))
		return asc_err_nomem(e);
	struct best_answer *a = &b->answers[b->n_answers++];

	*a = (struct best_answer){print_subject(r), str_dup(r->implementation),
				  r->implementation_index, b->n};
	return a->subject && a->implementation ? ASC_OK : asc_err_nomem(e);
}

/* Finds the answer that a row of an index stands behind; NULL: it is that answer's own index, or
 * there is none. */
static enum asc_status find_answer(struct best *b, const struct best_row *r,
				   const struct best_answer **out, struct asc_err *e)
{
	char *subject = print_subject(r);

	*out = NULL;
	if (!subject)
		return asc_err_nomem(e);
	/* Rows of indices come in the order of the answers: the last one found, or the next. */
	for (size_t tried = 0; tried < b->n_answers; tried++) {
		const size_t i = (b->found_last + tried) % b->n_answers;

		if (strcmp(b->answers[i].subject, subject) != 0)
			continue;
		b->found_last = i;
		if (b->answers[i].index != r->implementation_index)
			*out = &b->answers[i];
		break;
	}
	free(subject);
	return ASC_OK;
}

/* Begins the object of a line of the table in JSON, which stays open. */
static enum asc_status begin_line(const struct best *b, const struct best_row *r, struct buf *line,
				  struct asc_err *e)
{
	struct json_writer w = {line, false};

	json_write_begin(&w, NULL, '{');
	if (best_json_write_subject(&w, r, e))
		return e->status;
	json_write_bool(&w, "simulated", b->simulated);
	return unsupported_write(r, &w, e);
}

static enum asc_status add_row(struct best *b, const struct best_row *r, size_t of,
			       struct asc_err *e)
{
	struct buf place = {0};

	if (!array_room(&b->rows, b->n, &b->room, sizeof *b->rows))
		return asc_err_nomem(e);
	struct best_line *to = &b->rows[b->n++];

	b->found++;
	/* "cpu: AMD EPYC, cold caches" */
	buf_print(&place, "%s: %s", r->device_kind, r->device_model);
	if (b->simulated)
		buf_add_str(&place, ", simulated");
	if (b->all && r->device_driver)
		buf_print(&place, ", driver %s", r->device_driver);
	if (r->cache_policy)
		buf_print(&place, ", %s caches", r->cache_policy);
	*to = (struct best_line){.order = b->n,
				 .of = of,
				 .title = str_print("%s/%s", r->workload, r->problem),
				 .place = buf_take(&place),
				 .implementation = str_dup(r->implementation),
				 .index = r->implementation_index,
				 .failed = r->failed,
				 .older = b->all && r->older,
				 .row = answer_row_of(r)};
	add_note(r, &to->row.sure, b->simulated, &to->note);
	if (r->profile)
		profile_text_add_label(r->profile, &to->limit);
	/* A result of an older driver, or of a model, is not measured again for its age; what
	 * stands behind the best shares its state. */
	if (!to->older && !b->simulated && of == to->order)
		answer_state_add_best(&b->state, r, &to->state);
	if (unsupported_add(&b->unsupported, r, e) || (b->json && begin_line(b, r, &to->json, e)))
		return e->status;
	if (!to->title || !to->place || !to->implementation || buf_check(&to->note, e) ||
	    buf_check(&to->limit, e))
		return asc_err_nomem(e);
	return buf_check(&to->state, e);
}

static void fini(struct best *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->rows[i].title);
		free(b->rows[i].place);
		free(b->rows[i].implementation);
		buf_fini(&b->rows[i].note);
		buf_fini(&b->rows[i].limit);
		buf_fini(&b->rows[i].state);
		buf_fini(&b->rows[i].json);
	}
	free(b->rows);
	for (size_t i = 0; i < b->n_answers; i++) {
		free(b->answers[i].subject);
		free(b->answers[i].implementation);
	}
	free(b->answers);
	unsupported_fini(&b->unsupported);
	answer_state_fini(&b->state);
}

static enum asc_status write_row(struct best *b, const struct best_row *r,
				 const struct best_answer *behind, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	b->found++;
	json_write_begin(&w, NULL, '{');
	enum asc_status status = best_json_write_members(&w, r, e);

	json_write_bool(&w, "simulated", b->simulated);
	json_write_bool(&w, "failed", r->failed);
	answer_row_write_energy(&r->energy, &w);
	if (behind) /* the row of an index: the implementation that is best of all */
		json_write_string(&w, "behind", behind->implementation);
	else
		answer_state_write_best(&b->state, r, &w);
	if (status == ASC_OK)
		status = unsupported_write(r, &w, e);
	json_write_end(&w, '}');
	if (status == ASC_OK)
		return command_print_line(&line, e);
	buf_fini(&line);
	return status;
}

/* A best_fn: shows what is best. */
static enum asc_status show_answer(void *user, const struct best_row *r, struct asc_err *e)
{
	struct best *b = user;

	if (keep_answer(b, r, e))
		return e->status;
	return b->json && !b->indices ? write_row(b, r, NULL, e) : add_row(b, r, b->n + 1, e);
}

/* A best_fn: shows the best of an implementation that a library has under an index, behind what is
 * best of all: the library may have only some of them built in. */
static enum asc_status show_index(void *user, const struct best_row *r, struct asc_err *e)
{
	const struct best_answer *a;
	struct best *b = user;

	if (r->implementation_index < 0)
		return ASC_OK;
	if (find_answer(b, r, &a, e))
		return e->status;
	if (!a)
		return ASC_OK;
	return b->json && !b->indices ? write_row(b, r, a, e) : add_row(b, r, a->row + 1, e);
}

/* Sorts by problem, small sizes before large ones; rows of one problem keep the order in which they
 * were read, by device and policy, and those of indices stand behind their answer. */
static int compare_rows(const void *a, const void *b)
{
	const struct best_line *x = a, *y = b;
	int order = str_compare_natural(x->title, y->title);

	if (order == 0)
		order = (x->of > y->of) - (x->of < y->of);
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* True, and said once, above the rows, for a place that all of them share. */
static bool print_place(const struct best *b)
{
	for (size_t i = 1; i < b->n; i++)
		if (strcmp(b->rows[i].place, b->rows[0].place) != 0)
			return false;
	prose_print(stdout, 0, b->rows[0].place);
	return true;
}

/* Number of the first row behind `i` that is of another problem or place: a line of the table of
 * indices ends there. */
static size_t end_of_line(const struct best *b, size_t i)
{
	size_t end = i + 1;

	while (end < b->n && b->rows[end].of == b->rows[i].of)
		end++;
	return end;
}

/* Adds the least time of what rows `i` to `end` have under an index, or of those without one;
 * "failed" where no time counts; nothing where there is no row. */
static void add_cell(const struct best *b, size_t i, size_t end, bool indexed, int64_t index,
		     struct table *t)
{
	double least = 0; /* several implementations may share an index */
	bool failed = false;
	char text[UNITS_TEXT_SIZE];

	for (; i < end; i++) {
		const struct best_line *r = &b->rows[i];

		if (indexed ? r->index != index : r->index >= 0)
			continue;
		if (r->failed)
			failed = true;
		else if (least <= 0 || r->row.median_ns < least)
			least = r->row.median_ns;
	}
	if (least > 0)
		table_add(t, "%s", units_print_duration(least, text));
	else
		table_add_inked(t, INK_BAD, "%s", failed ? "failed" : "");
}

/* Prints a line for each problem and place, a column for each index and one for the answers
 * without. */
static enum asc_status print_indices(const struct best *b, struct asc_err *e)
{
	int64_t index[TABLE_MAX_COLUMNS - 2];
	size_t n = 0, others = 0;
	struct buf header = {0};
	struct table t;

	for (size_t i = 0; i < b->n; i++) {
		size_t at = 0;

		while (at < n && index[at] < b->rows[i].index)
			at++;
		others += b->rows[i].index < 0;
		if (b->rows[i].index < 0 || (at < n && index[at] == b->rows[i].index))
			continue;
		if (n == sizeof index / sizeof *index)
			return asc_err_set(e, ASC_INPUT, "more than %zu indices: name a FILE", n);
		memmove(index + at + 1, index + at, (n++ - at) * sizeof *index);
		index[at] = b->rows[i].index;
	}
	if (n == 0)
		return asc_err_set(e, ASC_NOTFOUND,
				   "no result is of an implementation with an index");
	const bool one_place = print_place(b);

	buf_add_str(&header, "KERNEL");
	for (size_t k = 0; k < n; k++)
		buf_print(&header, "|>INDEX %lld", (long long)index[k]);
	if (others > 0)
		buf_add_str(&header, "|>NO INDEX");
	if (buf_check(&header, e)) {
		buf_fini(&header);
		return e->status;
	}
	table_init(&t, buf_str(&header));
	for (size_t i = 0, next; i < b->n; i = next) {
		const struct best_line *r = &b->rows[i];

		next = end_of_line(b, i);
		table_add(&t, "%s", r->title);
		for (size_t k = 0; k < n + (others > 0); k++)
			add_cell(b, i, next, k < n, k < n ? index[k] : 0, &t);
		if (r->state.len)
			table_warn(&t, "%s", buf_str(&r->state));
		if (!one_place)
			table_note(&t, "%s", r->place);
	}
	const enum asc_status status = table_print(&t, stdout, e);

	table_fini(&t);
	buf_fini(&header);
	return status;
}

/* Writes the same as JSON lines: an object for each problem and place, the best of its
 * implementations first. */
static enum asc_status write_indices(struct best *b, struct asc_err *e)
{
	for (size_t i = 0, next; i < b->n; i = next) {
		struct json_writer w = {&b->rows[i].json, true};

		next = end_of_line(b, i);
		json_write_begin(&w, "implementations", '[');
		for (size_t j = i; j < next; j++) {
			const struct best_line *r = &b->rows[j];

			json_write_begin(&w, NULL, '{');
			json_write_string(&w, "implementation", r->implementation);
			json_write_int(&w, "implementation_index", r->index);
			json_write_real(&w, "median_ns", r->row.median_ns);
			json_write_bool(&w, "failed", r->failed);
			json_write_end(&w, '}');
		}
		json_write_end(&w, ']');
		json_write_end(&w, '}');
		if (command_print_line(w.out, e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status print_table(const struct best *b, struct asc_err *e)
{
	const bool one_place = print_place(b);
	struct table t;

	answer_row_begin(&t);
	for (size_t i = 0; i < b->n; i++) {
		const struct best_line *r = &b->rows[i];

		answer_row_add(&t, r->title, &r->row);
		if (r->state.len)
			table_warn(&t, "%s", buf_str(&r->state));
		table_note(&t, "%s%s%s%s", buf_str(&r->note), one_place ? "" : "; ",
			   one_place ? "" : r->place, r->older ? " (older)" : "");
		if (r->limit.len)
			table_note(&t, "%s", buf_str(&r->limit));
	}
	const enum asc_status status = table_print(&t, stdout, e);

	table_fini(&t);
	return status;
}

/* Runs that have no answer here. */
struct elsewhere {
	int64_t imported; /* the newest of imports; 0: none */
	bool simulated;
};

/* A db_run_record_fn. */
static enum asc_status note_run(void *user, const struct db_run_record *r, struct asc_err *e)
{
	struct elsewhere *x = user;

	(void)e;
	if (r->imported && r->run_id > x->imported)
		x->imported = r->run_id;
	x->simulated |= r->simulated && !r->imported;
	return ASC_OK;
}

/* Appends a command that shows what is not measured here: "; imported: asctune show run 1". */
static void add_command(const char *what, const char *const words[], const char *db,
			struct buf *out)
{
	struct buf command = {0};

	shell_add_program(&command);
	for (size_t i = 0; words[i]; i++)
		shell_add_argument(&command, words[i]);
	shell_add_option(&command, "--db", db);
	buf_print(out, "; %s: %s", what, buf_str(&command));
	out->failed |= command.failed;
	buf_fini(&command);
}

/* Refuses for want of any row, with the commands that show what was imported or simulated. */
static enum asc_status refuse_none(const struct best_options *o, const char *workload,
				   struct db *db, struct asc_err *e)
{
	const struct db_run_choice all = {.workload = workload};
	struct elsewhere x = {0};
	struct buf text = {0};
	char run[32];

	buf_print(&text, "%s: no verified result%s%s %s", command_db_path(o->db),
		  workload ? " of " : "", workload ? workload : "",
		  o->simulated ? "of a stand-in" : "measured here");
	/* --simulated says where measured ones are: nowhere else is to be looked at. */
	enum asc_status status = o->simulated ? ASC_OK : db_each_run(db, &all, note_run, &x, e);

	(void)snprintf(run, sizeof run, "%lld", (long long)x.imported);
	if (x.imported)
		add_command("imported", (const char *const[]){"show", "run", run, NULL}, o->db,
			    &text);
	if (x.simulated)
		add_command(
			"on a stand-in",
			o->indices ? (const char *const[]){"best", "--indices", "--simulated", NULL}
				   : (const char *const[]){"best", "--simulated", NULL},
			o->db, &text);
	if (status == ASC_OK && buf_check(&text, e) == ASC_OK)
		(void)asc_err_set(e, ASC_NOTFOUND, "%s", buf_str(&text));
	buf_fini(&text);
	return e->status;
}

static enum asc_status show_all(const struct best_options *o, const char *workload,
				struct asc_err *e)
{
	struct best b = {
		.json = o->json, .all = o->all, .simulated = o->simulated, .indices = o->indices};
	enum asc_status (*const each)(struct db *, const char *, best_fn *, void *,
				      struct asc_err *) = o->all         ? best_each_ever
							  : o->simulated ? best_each_simulated
									 : best_each_or_last;
	enum asc_status (*const each_index)(struct db *, const char *, best_fn *, void *,
					    struct asc_err *) =
		o->simulated ? best_each_simulated_of_implementations
			     : best_each_of_implementations;
	struct db *db = NULL;
	const char *path = command_db_path(o->db);
	enum asc_status status = command_open_results(path, &db, e);

	if (status == ASC_OK && !o->simulated)
		status = answer_state_init(&b.state, db, o->db, e);
	if (status == ASC_OK)
		status = o->by == OBJECTIVE_TIME
				 ? each(db, workload, show_answer, &b, e)
				 : best_each_by(db, workload, o->by, show_answer, &b, e);
	if (status == ASC_OK && o->by == OBJECTIVE_TIME)
		status = each_index(db, workload, show_index, &b, e);
	if (status == ASC_OK && b.found == 0 && o->by != OBJECTIVE_TIME)
		status = asc_err_set(e, ASC_NOTFOUND,
				     "%s: no energy of a launch%s%s was measured; asctune run FILE "
				     "--objective %s does it",
				     path, workload ? " of " : "", workload ? workload : "",
				     objective_name(o->by));
	else if (status == ASC_OK && b.found == 0)
		status = refuse_none(o, workload, db, e);
	if (status == ASC_OK && b.n > 0)
		qsort(b.rows, b.n, sizeof *b.rows, compare_rows);
	if (status == ASC_OK && o->json && o->indices)
		status = write_indices(&b, e);
	else if (status == ASC_OK && !o->json)
		status = o->indices ? print_indices(&b, e) : print_table(&b, e);
	if (status == ASC_OK && !o->json)
		unsupported_print(&b.unsupported);
	if (status == ASC_OK && !o->json)
		status = answer_state_print_commands(&b.state, e);
	fini(&b);
	db_close(db);
	return status;
}

/* Parses the seconds of --watch, a number without a unit too. */
static void parse_watch(struct argp_state *state, const char *arg, struct best_options *o)
{
	const int64_t second = INT64_C(1000000000);
	char text[UNITS_TEXT_SIZE];
	bool bare = strspn(arg, "0123456789.") == strlen(arg);

	(void)snprintf(text, sizeof text, "%s%s", arg, bare ? "s" : "");
	o->watch = true;
	/* Each look reads the database that a run is writing: ten a second are enough for eyes. */
	if (!units_parse_duration(text, &o->every_ns) || o->every_ns < second / 10 ||
	    o->every_ns > 3600 * second)
		command_refuse(state, "--watch: \"%s\" is no time from 0.1 to 3600 s", arg);
}

enum { KEY_OBJECTIVE = 256, KEY_INDICES };

static error_t parse_best(int key, char *arg, struct argp_state *state)
{
	struct best_options *o = state->input;

	switch (key) {
	case 'd': o->db = arg; return 0;
	case 'j': o->json = true; return 0;
	case 'a': o->all = true; return 0;
	case 's': o->simulated = true; return 0;
	case 'w': parse_watch(state, arg ? arg : "1", o); return 0;
	case KEY_INDICES: o->indices = true; return 0;
	case KEY_OBJECTIVE: command_parse_objective(state, arg, &o->by); return 0;
	case ARGP_KEY_END:
		if (o->indices && (o->all || o->watch || o->by != OBJECTIVE_TIME))
			command_refuse(state, "--indices does not go with --%s",
				       o->all     ? "all"
				       : o->watch ? "watch"
						  : "objective");
		if (o->by != OBJECTIVE_TIME && (o->simulated || o->all || o->watch))
			command_refuse(state, "--objective %s does not go with --%s",
				       objective_name(o->by),
				       o->all     ? "all"
				       : o->watch ? "watch"
						  : "simulated");
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
	{"indices", KEY_INDICES, NULL, 0,
	 "prints the times by index of the operator library, a line for each problem", 0},
	{"objective", KEY_OBJECTIVE, "OBJECTIVE", 0,
	 "what is least: time, energy (of a launch) or edp (energy times time); those two are of "
	 "configurations whose energy was measured (`asctune run --objective`)",
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
	"samples of one trial where no finals were held; ± is half of its 95 % "
	"confidence interval, or of the middle half of too few samples for one. DEFAULT and "
	"BASELINE are their times as multiples of the best's, round by round where finals were "
	"held (the median of the rounds' ratios); ATTAINS is "
	"the reached part of what is attainable: the rate that the device can reach at the "
	"problem's FLOPs per byte, by the best peaks that this user's cache and the database know "
	"of it; behind it, where it is to be read with care: busy (the peak was not measured at a "
	"quiet moment; a later run measures it again), caches (the data stayed in caches, which "
	"give more than memory), above peak (the workload may state wrong FLOPs). HOW "
	"SURE is one of: clear winner; tie of N (so many configurations may be as fast); undecided "
	"(another may be more than 5 % faster: the ratios are known to ± so much, behind the "
	"configuration); not compared (one configuration passed, or time ran out before the "
	"finals); no usable result (slower than its default, or nothing passes any more: then "
	"the time is of what passed last). Cold and hot "
	"caches have a row each. Behind the best stand the other implementations that a library "
	"has under an index, each with its best: it may have only some built in. The last line of "
	"a row says what limits a launch, where that was "
	"found out (`asctune profile` tells more). "
	"--json has all that is known, also how the run ended (run) and the verdict on the kernel "
	"since (since).",
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
	const char *workload = w ? w->name : NULL;

	if (status == ASC_OK && o.watch)
		status = best_watch(&(struct watch_options){.path = command_db_path(o.db),
							    .workload = workload,
							    .every_ns = o.every_ns,
							    .json = o.json},
				    &e);
	else if (status == ASC_OK)
		status = show_all(&o, workload, &e);
	workload_close(w);
	return status ? command_fail(&e) : EXIT_DONE;
}

const struct command best_command = {"best", "shows the best configurations", &best_argp,
				     best_main};
