/* asctune list: devices, probes and so on, whether they are usable here, and if not, why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/metrics/metric_book.h"
#include "probes/probe.h"
#include "reports/exchange/exporter_list.h"
#include "reports/exchange/importer.h"
#include "reports/tables/readers/reader.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/listing.h"
#include "tuner/cmd/machine/survey.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/cmd/workload_markdown.h"
#include "tuner/device/device.h"
#include "tuner/result/tracked_metric.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/limits/occupancy.h"
#include "tuner/workload/rewrite.h"

extern const struct command list_command;

/* ---- known models ---- */

/* "Ascend NPU: ub 192 KiB, l1 512 KiB, ..." */
static void print_summary(const struct limits *l, struct buf *out)
{
	const char *before = ": ";

	buf_add_str(out, l->kind);
	for (size_t i = 0; i < l->n_spaces; i++) {
		const struct memory_space *s = &l->spaces[i];

		if (!s->bytes)
			continue;
		/* Whole KiB but for odd sizes: no limit is rounded. */
		if (s->bytes % 1024)
			buf_print(out, "%s%s %lld B", before, s->name, (long long)s->bytes);
		else
			buf_print(out, "%s%s %lld KiB", before, s->name,
				  (long long)(s->bytes / 1024));
		if (s->unit_bytes > 1)
			buf_print(out, " in %lld blocks", (long long)s->max_units);
		before = ", ";
	}
	if (l->sm)
		buf_print(out, " of the %d KiB of an SM, %d threads, %d blocks, %d registers",
			  l->sm->shared_bytes / 1024, l->sm->threads, l->sm->blocks,
			  OCCUPANCY_REGISTERS);
}

/* Writes no member where there is no limit. */
static void write_axes(struct json_writer *w, const char *key, const int64_t axes[3])
{
	if (!axes[0])
		return;
	json_write_begin(w, key, '[');
	for (int i = 0; i < 3; i++)
		json_write_int(w, NULL, axes[i]);
	json_write_end(w, ']');
}

static void write_model(struct listing *to, const struct limits *l, const char *summary)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "name", l->name);
	json_write_bool(&w, "usable", false);
	json_write_string(&w, "summary", summary);
	json_write_string(&w, "reason", "a model to plan for with asctune space --device");
	json_write_string(&w, "device", l->device);
	json_write_begin(&w, "memory", '[');
	for (size_t i = 0; i < l->n_spaces; i++) {
		const struct memory_space *s = &l->spaces[i];

		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "name", s->name);
		json_write_int(&w, "bytes", s->bytes);
		json_write_int(&w, "unit_bytes", s->unit_bytes);
		json_write_int(&w, "align", s->align);
		json_write_int(&w, "max_units", s->max_units);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	write_axes(&w, "grid", l->grid);
	write_axes(&w, "block", l->block);
	json_write_begin(&w, "facts", '{');
	for (int i = 0; i < FACT_COUNT; i++)
		if (l->facts.known[i]) /* a model says what all its devices have alike */
			json_write_int(&w, facts_name((enum fact)i), l->facts.value[i]);
	json_write_end(&w, '}');
	json_write_end(&w, '}');
	listing_print(to, &line);
}

static void list_models(struct listing *to)
{
	struct limits l;

	for (size_t i = 0; limits_at(i, &l); i++) {
		struct buf summary = {0};

		print_summary(&l, &summary);
		if (to->json) {
			write_model(to, &l, buf_str(&summary));
		} else {
			table_add(&to->table, "%s", l.name);
			table_add(&to->table, "plan");
			table_add(&to->table, "%s", buf_str(&summary));
		}
		to->cut |= summary.failed;
		buf_fini(&summary);
	}
}

/* ---- what is usable here ---- */

static void list_devices(struct listing *l)
{
	for (size_t i = 0; device_list[i]; i++) {
		const struct device_ops *ops = device_list[i];
		const struct survey *s = survey_devices(ops);

		if (*s->reason)
			listing_add(l, ops->name, false, ops->summary, s->reason);
		for (int k = 0; k < s->count && k < SURVEY_MOST; k++) {
			const struct survey_device *d = &s->devices[k];
			char *what = str_print("%s%s%s", d->model, ops->caveat ? ", " : "",
					       ops->caveat ? ops->caveat : "");
			char name[32];

			/* The only one of its kind needs no number. */
			snprintf(name, sizeof name, s->count > 1 ? "%s:%d" : "%s", ops->name, k);
			listing_add(l, name, !*d->reason, *d->reason ? ops->summary : what,
				    d->reason);
			free(what);
		}
	}
}

/* Lists what profiles count and work out, and the sets of these. */
static void list_book(struct listing *l)
{
	struct metric_book *book;
	const struct metric_def *m;
	const struct metric_set *set;
	struct asc_err e;

	if (metric_book_open(NULL, 0, &book, &e)) {
		listing_add(l, "profile", false, "", e.text);
		return;
	}
	for (size_t i = 0; (m = metric_book_metric(book, i)); i++) {
		const struct probe_ops *ops = probe_find(m->probe);
		char reason[512] = "";
		char *name = str_print("%s.%s", *m->probe ? m->probe : PROFILE_FORMULA, m->name);
		char *meaning = str_print("%s [%s]%s%s", m->meaning, m->unit,
					  m->formula ? " = " : "", m->formula ? m->formula : "");

		listing_add(l, name, !ops || survey_replays(ops, m, reason, sizeof reason), meaning,
			    reason);
		free(name);
		free(meaning);
	}
	for (size_t i = 0; (set = metric_book_set(book, i)); i++) {
		char *name = str_print("set %s", set->name);
		struct buf names = {0};

		/* Metrics of several probes may have one name. */
		for (size_t k = 0; set->metrics[k]; k++) {
			size_t first = 0;

			while (strcmp(set->metrics[first]->name, set->metrics[k]->name) != 0)
				first++;
			if (first == k)
				buf_print(&names, "%s%s", k ? " " : "", set->metrics[k]->name);
		}
		listing_add(l, name, true, buf_str(&names), "");
		free(name);
		buf_fini(&names);
	}
	metric_book_free(book);
}

/* Lists tracked metrics, whatever counts them, then all metrics of probes. */
static void list_metrics(struct listing *l)
{
	l->below = true;
	for (const struct tracked_metric *f = tracked_metrics; f->name; f++) {
		char *name = str_print("figure.%s", f->name);
		char *meaning =
			str_print("%s [%s], from %s.%s; tracked, %s is better", f->meaning, f->unit,
				  f->probe, f->metric, f->higher_is_better ? "higher" : "lower");

		listing_add(l, name, true, meaning, "");
		free(name);
		free(meaning);
	}
	for (size_t i = 0; probe_list[i]; i++)
		for (size_t k = 0; probe_list[i]->metrics && probe_list[i]->metrics[k].name; k++) {
			const struct probe_metric *m = &probe_list[i]->metrics[k];
			char reason[512] = "";
			char *name = str_print("%s.%s", probe_list[i]->name, m->name);
			char *meaning = str_print("%s [%s]", m->meaning, m->unit);

			listing_add(l, name, survey_counts(probe_list[i], k, reason, sizeof reason),
				    meaning, reason);
			free(name);
			free(meaning);
		}
	list_book(l);
}

static void list_evaluators(struct listing *l)
{
	for (size_t i = 0; evaluator_list[i]; i++)
		listing_add(l, evaluator_list[i]->name, true, evaluator_list[i]->summary, "");
}

static void list_strategies(struct listing *l)
{
	listing_add(l, "auto", true, strategy_auto_summary, "");
	for (size_t i = 0; strategy_list[i]; i++)
		listing_add(l, strategy_list[i]->name, true, strategy_list[i]->summary, "");
}

static void list_exporters(struct listing *l)
{
	for (size_t i = 0; exporter_list[i]; i++) {
		const struct exporter_ops *x = exporter_list[i];

		listing_add(l, x->name, true, x->summary, "");
		for (const struct export_option *o = x->options; o && o->name; o++) {
			char *name = str_print("%s --set %s", x->name, o->name);

			listing_add(l, name, true, o->meaning, "");
			free(name);
		}
	}
}

static void list_importers(struct listing *l)
{
	for (size_t i = 0; importer_list[i]; i++)
		listing_add(l, importer_list[i]->name, true, importer_list[i]->summary, "");
}

static void list_readers(struct listing *l)
{
	for (size_t i = 0; reader_list[i]; i++)
		listing_add(l, reader_list[i]->name, true, reader_list[i]->summary, "");
}

static void list_rewrites(struct listing *l)
{
	for (size_t i = 0; rewrite_list[i]; i++) {
		const struct rewrite_ops *r = rewrite_list[i];
		struct buf what = {0};

		buf_print(&what, "%s: %s; for", r->summary, r->effect);
		for (size_t k = 0; r->devices[k]; k++)
			buf_print(&what, "%s %s", k ? "," : "", r->devices[k]);
		buf_print(&what, "; after %s", r->source);
		/* A text that is missing makes the listing fail at its end. */
		listing_add(l, r->name, true, what.failed ? NULL : buf_str(&what), "");
		buf_fini(&what);
	}
}

/* Finds the workloads that come with asctune: installed, else built. */
static const char *const workload_places[] = {ASCTUNE_WORKLOADS, ASCTUNE_BUILD_WORKLOADS, NULL};

static void add_workload(struct listing *l, const struct workload *w, const char *path)
{
	struct buf what = {0};

	buf_add_str(&what, w->description ? w->description : w->operator_name);
	if (w->n_unsupported)
		buf_add_str(&what, " Unsupported: ");
	workload_print_unsupported(w, NULL, &what);
	/* A text that is missing makes the listing fail at its end. */
	listing_add(l, path, true, what.failed ? NULL : buf_str(&what), "");
	buf_fini(&what);
}

static size_t list_workloads_of(struct listing *l, const char *folder)
{
	struct workload_files files;
	struct asc_err e;

	if (workload_files_find(folder, &files, &e))
		return 0; /* there is no such folder, or it has none */
	const size_t n = files.n;

	for (size_t i = 0; i < files.n; i++) {
		struct workload *w = NULL;

		if (workload_open(files.paths[i], &w, &e))
			listing_add(l, files.paths[i], false, "", e.text);
		else
			add_workload(l, w, files.paths[i]);
		workload_close(w);
	}
	workload_files_fini(&files);
	return n;
}

static void list_workloads(struct listing *l)
{
	struct asc_err e;
	char *installed = NULL, *here = path_absolute("workloads", &e);
	size_t n = list_workloads_of(l, "workloads");

	(void)places_find_own(workload_places, &installed, &e);
	/* Both places are the same in the tree that was built. */
	if (installed && !(here && strcmp(here, installed) == 0))
		n += list_workloads_of(l, installed);
	free(here);
	if (n == 0)
		prose_print(
			stderr, 2,
			"asctune: no workloads in ./workloads, and none installed with asctune");
	free(installed);
}

/* Prints the page of the workloads here, else of those that are installed. */
static enum asc_status print_page(struct asc_err *e)
{
	struct workload_files files = {0};
	struct buf page = {0};
	char *installed = NULL;
	enum asc_status status = workload_files_find("workloads", &files, e);

	if (status == ASC_NOTFOUND && places_find_own(workload_places, &installed, e) == ASC_OK)
		status = workload_files_find(installed, &files, e);
	if (status == ASC_OK)
		status = workload_markdown_print(&files, &page, e);
	if (status == ASC_OK)
		fputs(buf_str(&page), stdout);
	workload_files_fini(&files);
	free(installed);
	buf_fini(&page);
	return status;
}

/* Text between names in a list of them, name, function, what they are. */
#define KIND_LIST(X)                                                                               \
	X("\n", "devices", list_devices, "devices to tune on; --all: models to plan for, too")     \
	X("|", "builders", survey_list_builders, "compilers of kernels, with their versions")      \
	X("|", "vendors", survey_list_vendors,                                                     \
	  "functions of vendor libraries that kernels stand beside")                               \
	X("|", "workloads", list_workloads, "workload files in ./workloads and those installed")   \
	X("\n", "strategies", list_strategies, "searches of `asctune run --strategy`")             \
	X("|", "rewrites", list_rewrites, "changes of sources that a search may try")              \
	X("|", "probes", survey_list_probes,                                                       \
	  "sources of metrics beside times, of `asctune run --probe`")                             \
	X("|", "metrics", list_metrics, "what probes, builders and devices count")                 \
	X("\n", "evaluators", list_evaluators, "ways to come to a configuration's time")           \
	X("|", "exporters", list_exporters, "formats of `asctune export`")                         \
	X("|", "importers", list_importers, "formats of `asctune import`")                         \
	X("|", "readers", list_readers,                                                            \
	  "tables that libraries read themselves; docs/readers has a page for each")
#define KIND_NAME(between, name, list, summary)  between name
#define KIND_ENTRY(between, name, list, summary) {name, list, summary},

static const struct {
	const char *name;
	void (*list)(struct listing *l);
	const char *summary;
} kinds[] = {KIND_LIST(KIND_ENTRY)};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Lists the kinds of things that can be listed. */
static enum asc_status list_kinds(bool json, struct asc_err *e)
{
	struct listing l;

	listing_init(&l, "KIND|WHAT", json);
	for (size_t i = 0; i < N_KINDS; i++)
		if (json) {
			listing_add(&l, kinds[i].name, true, kinds[i].summary, "");
		} else {
			table_add(&l.table, "%s", kinds[i].name);
			table_add(&l.table, "%s", kinds[i].summary);
		}
	return listing_end(&l, e);
}

struct list_options {
	size_t kind;
	bool json, all, markdown;
};

enum { KEY_ALL = 256, KEY_MARKDOWN, KEY_PYTHON, KEY_PYTHON_NPU, KEY_CANN };

static error_t parse_list(int key, char *arg, struct argp_state *state)
{
	struct list_options *o = state->input;

	switch (key) {
	case 'j': o->json = true; return 0;
	case KEY_ALL: o->all = true; return 0;
	case KEY_MARKDOWN: o->markdown = true; return 0;
	case KEY_PYTHON: command_parse_python(state, arg); return 0;
	case KEY_PYTHON_NPU: command_parse_python_npu(state, arg); return 0;
	case KEY_CANN: command_parse_cann(state, arg); return 0;
	case ARGP_KEY_SUCCESS:
		if (o->all && (o->kind == N_KINDS || kinds[o->kind].list != list_devices))
			command_refuse(state, "--all is for devices");
		if (o->markdown && (o->kind == N_KINDS || kinds[o->kind].list != list_workloads))
			command_refuse(state, "--markdown is for workloads");
		if (o->markdown && o->json)
			command_refuse(state, "--markdown and --json exclude each other");
		return 0;
	case ARGP_KEY_ARG: break;
	default: return ARGP_ERR_UNKNOWN;
	}
	if (state->arg_num > 0)
		command_refuse(state, "one kind at a time");
	for (o->kind = 0; o->kind < N_KINDS; o->kind++)
		if (strcmp(kinds[o->kind].name, arg) == 0)
			return 0;
	const char *names[N_KINDS + 1] = {NULL};

	for (size_t i = 0; i < N_KINDS; i++)
		names[i] = kinds[i].name;
	const char *near = str_nearest(arg, names);

	if (near)
		command_refuse(state, "nothing called \"%s\" to list; did you mean \"%s\"?", arg,
			       near);
	command_refuse(state, "nothing called \"%s\" to list; `asctune list` names the kinds", arg);
	return 0;
}

static const struct argp_option list_options[] = {
	{"all", KEY_ALL, NULL, 0, "devices: lists also models that need not be here", 0},
	{"markdown", KEY_MARKDOWN, NULL, 0,
	 "workloads: prints the page workloads/README.md: problems, implementations with their "
	 "indices, configurations",
	 0},
	{"python", KEY_PYTHON, "PROGRAM", 0, COMMAND_PYTHON_HELP, 0},
	{"python-npu", KEY_PYTHON_NPU, "PROGRAM", 0, COMMAND_PYTHON_NPU_HELP, 0},
	{"cann", KEY_CANN, "DIR", 0, COMMAND_CANN_HELP, 0},
	{"json", 'j', NULL, 0, "prints one JSON object a line", 0},
	{0}};
static const struct argp list_argp = {
	list_options,
	parse_list,
	KIND_LIST(KIND_NAME),
	"Lists what there is, whether it is usable here, and if not, why; alone, what can be "
	"listed.",
	0,
	0,
	0};

static int list_main(int argc, char **argv)
{
	struct list_options o = {.kind = N_KINDS};
	struct listing l;
	struct asc_err e;

	command_parse(&list_argp, argc, argv, &o);
	if (o.kind == N_KINDS)
		return list_kinds(o.json, &e) ? command_fail(&e) : EXIT_DONE;
	if (o.markdown)
		return print_page(&e) ? command_fail(&e) : EXIT_DONE;
	listing_init(&l, "NAME|USABLE|WHAT", o.json);
	kinds[o.kind].list(&l);
	if (o.all)
		list_models(&l);
	return listing_end(&l, &e) ? command_fail(&e) : EXIT_DONE;
}

const struct command list_command = {"list", "lists devices, probes, builders, strategies, ...",
				     &list_argp, list_main};
