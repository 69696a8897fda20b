#include "tuner/cmd/profile/profile_plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/metrics/metric_book.h"
#include "probes/probe.h"
#include "tuner/base/buf.h"
#include "tuner/base/csv.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/profile/profile_options.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/table.h"

/* One of each generation that the texts of metrics are tested with. */
static const char DEFAULT_CHIPS[] = "GA100,AD102,GH100,GB202";

enum {
	MOST_CHIPS = 12, /* a table has 16 columns */
	MOST_REASONS = 64,
	COUNTER_SIZE = 512 /* a sum over the channels of a memory */
};

struct plan_view {
	const struct metric_book *book;
	const char *const *probes;     /* those that were asked for; empty: all */
	const char *device;            /* kind of device that the chips are */
	const char *chips[MOST_CHIPS]; /* NULL: that of the device here */
	size_t n_chips;
	bool json;
};

/* True for a probe whose counters are shown. */
static bool is_shown(const struct plan_view *v, const struct probe_ops *ops)
{
	return ops && ops->plan && ops->counter && probe_serves(ops, v->device) &&
	       (!v->probes[0] || str_is_in(ops->name, v->probes));
}

static const char *chip_text(const char *chip)
{
	return chip ? chip : "here";
}

/* Number of metrics of the set that a probe counts. */
static size_t count_metrics(const struct metric_set *set, const struct probe_ops *ops)
{
	size_t n = 0;

	for (size_t i = 0; set->metrics[i]; i++)
		n += strcmp(set->metrics[i]->probe, ops->name) == 0;
	return n;
}

/* ---- a set on a chip as a JSON line ---- */

static enum asc_status print_line(const struct metric_set *set, const struct probe_ops *ops,
				  const char *chip, size_t passes, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};
	char counter[COUNTER_SIZE];

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "plan");
	json_write_string(&w, "set", set->name);
	json_write_string(&w, "chip", chip_text(chip));
	json_write_string(&w, "probe", ops->name);
	json_write_int(&w, "passes", (int64_t)passes);
	json_write_begin(&w, "metrics", '[');
	for (size_t i = 0; set->metrics[i]; i++) {
		const struct metric_def *m = set->metrics[i];

		if (strcmp(m->probe, ops->name) != 0)
			continue;
		const enum asc_status s = ops->counter(m, chip, counter, sizeof counter, e);

		if (s && s != ASC_ABSENT) {
			buf_fini(&line);
			return s;
		}
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "name", m->name);
		json_write_string(&w, "unit", m->unit);
		json_write_string(&w, "counter", s ? NULL : counter);
		if (s)
			json_write_string(&w, "reason", e->text);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	return command_print_line(&line, e);
}

/* ---- tables ---- */

/* Why metrics have no counter, each reason once, with their names. */
struct reasons {
	struct {
		struct buf reason, names;
	} list[MOST_REASONS];
	size_t n;
};

static void add_reason(struct reasons *r, const char *reason, const char *name)
{
	size_t i = 0;

	while (i < r->n && strcmp(buf_str(&r->list[i].reason), reason) != 0)
		i++;
	if (i == MOST_REASONS) /* the rows say "-" */
		return;
	if (i == r->n) {
		buf_add_str(&r->list[i].reason, reason);
		r->n++;
	}
	buf_print(&r->list[i].names, "%s%s", r->list[i].names.len ? " " : "", name);
}

static void print_reasons(struct reasons *r)
{
	if (r->n > 0)
		putchar('\n');
	for (size_t i = 0; i < r->n; i++) {
		prose_say(stdout, 2, "%s: %s", buf_str(&r->list[i].names),
			  buf_str(&r->list[i].reason));
		buf_fini(&r->list[i].names);
		buf_fini(&r->list[i].reason);
	}
}

/* Adds a row for each counter that the metric has on some chips. */
static enum asc_status add_counters(struct table *t, const struct plan_view *v,
				    const struct metric_def *m, const struct probe_ops *ops,
				    struct reasons *reasons, struct asc_err *e)
{
	char counters[MOST_CHIPS][COUNTER_SIZE];
	enum asc_status s = ASC_OK;

	for (size_t c = 0; c < v->n_chips; c++) {
		s = ops->counter(m, v->chips[c], counters[c], sizeof counters[c], e);
		if (s && s != ASC_ABSENT)
			return s;
		if (s)
			add_reason(reasons, e->text, m->name);
	}
	s = ASC_OK;
	for (size_t c = 0; c < v->n_chips && s == ASC_OK; c++) {
		struct buf chips = {0};
		bool first = true;

		for (size_t k = 0; k < v->n_chips; k++)
			if (strcmp(counters[k], counters[c]) == 0) {
				first = first && k >= c;
				buf_print(&chips, "%s%s", chips.len ? " " : "",
					  chip_text(v->chips[k]));
			}
		s = buf_check(&chips, e);
		if (s == ASC_OK && first) {
			table_add(t, "%s", m->name);
			table_add(t, "%s", m->unit);
			table_add(t, "%s", *counters[c] ? counters[c] : "-");
			table_add(t, "%s", chips.data);
		}
		buf_fini(&chips);
	}
	return s;
}

static enum asc_status print_counters(const struct plan_view *v, const struct metric_set *set,
				      struct asc_err *e)
{
	struct reasons reasons = {.n = 0};
	struct table t;
	enum asc_status s = ASC_OK;

	table_init(&t, "METRIC|UNIT|COUNTER|CHIPS");
	for (size_t i = 0; set->metrics[i] && s == ASC_OK; i++) {
		const struct probe_ops *ops = probe_find(set->metrics[i]->probe);

		if (is_shown(v, ops))
			s = add_counters(&t, v, set->metrics[i], ops, &reasons, e);
	}
	if (s == ASC_OK && printf("\n") < 0)
		s = asc_err_set(e, ASC_IO, "cannot write");
	if (s == ASC_OK)
		s = table_print(&t, stdout, e);
	print_reasons(&reasons);
	table_fini(&t);
	return s;
}

/* Adds the passes of a set by one probe, or prints them as JSON. */
static enum asc_status add_set(struct table *t, const struct plan_view *v,
			       const struct metric_set *set, const struct probe_ops *ops,
			       struct asc_err *e)
{
	const struct probe_request r = {v->book, set};

	if (!v->json) {
		table_add(t, "%s", set->name);
		table_add(t, "%s", ops->name);
		table_add(t, "%zu", count_metrics(set, ops));
	}
	for (size_t c = 0; c < v->n_chips; c++) {
		size_t passes = 0;

		if (ops->plan(&r, v->chips[c], &passes, e))
			return e->status;
		if (!v->json)
			table_add(t, "%zu", passes);
		else if (print_line(set, ops, v->chips[c], passes, e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status print_passes(const struct plan_view *v, const struct metric_set *only,
				    struct asc_err *e)
{
	struct buf heads = {0};
	struct table t;
	const struct metric_set *set;
	enum asc_status s;

	buf_print(&heads, "SET|COUNTED BY|>METRICS");
	for (size_t c = 0; c < v->n_chips; c++)
		buf_print(&heads, "|>%s", chip_text(v->chips[c]));
	s = buf_check(&heads, e);
	if (s == ASC_OK)
		table_init(&t, heads.data);
	else
		return s;
	for (size_t i = 0; (set = metric_book_set(v->book, i)) && s == ASC_OK; i++)
		for (size_t k = 0; probe_list[k] && s == ASC_OK; k++)
			if ((!only || set == only) && is_shown(v, probe_list[k]) &&
			    count_metrics(set, probe_list[k]) > 0)
				s = add_set(&t, v, set, probe_list[k], e);
	if (s == ASC_OK && !v->json)
		s = table_print(&t, stdout, e);
	table_fini(&t);
	buf_fini(&heads);
	return s;
}

/* Prints the passes of a set, or of all, and the counters of a single one. */
static enum asc_status print_set(const struct plan_view *v, const struct metric_set *only,
				 struct asc_err *e)
{
	if (print_passes(v, only, e))
		return e->status;
	return only && !v->json ? print_counters(v, only, e) : ASC_OK;
}

/* ---- chips ---- */

/* True where the passes of the device that is here can be told. */
static bool knows_device(const struct metric_book *book)
{
	const struct probe_request r = {book, metric_book_set(book, 0)};
	struct asc_err none;
	size_t passes;

	return r.set && probe_cupti.plan(&r, NULL, &passes, &none) == ASC_OK;
}

/* Chips by compute capability, the largest of those that have it. */
static const struct {
	const char *arch, *chip;
} chips_of[] = {{"sm_70", "GV100"},  {"sm_75", "TU102"}, {"sm_80", "GA100"}, {"sm_86", "GA102"},
		{"sm_87", "GA10B"},  {"sm_89", "AD102"}, {"sm_90", "GH100"}, {"sm_90a", "GH100"},
		{"sm_100", "GB100"}, {"sm_120", "GB202"}};

/* Sets the chips: those of `list`, which is cut, or the device here. Chips have capital letters. */
static enum asc_status set_chips(struct plan_view *v, char *list, struct asc_err *e)
{
	char *fields[MOST_CHIPS + 1];

	for (char *c = list; c && *c; c++)
		*c = (char)toupper((unsigned char)*c);
	v->n_chips = list ? csv_split(list, ',', fields, MOST_CHIPS + 1) : 1;
	if (v->n_chips > MOST_CHIPS)
		return asc_err_set(e, ASC_USAGE, "--chip: at most %d chips at a time", MOST_CHIPS);
	for (size_t c = 0; c < v->n_chips; c++)
		v->chips[c] = list ? fields[c] : NULL;
	return ASC_OK;
}

/* The plans that --device and --chip ask for. */
struct plan_wish {
	const char *chips; /* NULL: those that are here, or one of each generation */
	bool gpu, cpu;
};

static enum asc_status read_wish(const char *device, const char *chips, struct plan_wish *out,
				 struct asc_err *e)
{
	const bool any = !device || strcmp(device, "auto") == 0;
	const bool cpu = !any && strcmp(device, "cpu") == 0;

	*out = (struct plan_wish){chips, any || !cpu, cpu || (any && !chips)};
	if (cpu && chips)
		return asc_err_set(e, ASC_USAGE, "--chip names GPUs, --device cpu is none");
	if (any || cpu || strcmp(device, "cuda") == 0 || strncmp(device, "cuda:", 5) == 0)
		return ASC_OK;
	for (size_t i = 0; i < sizeof chips_of / sizeof *chips_of; i++)
		if (strcmp(chips_of[i].arch, device) == 0 && !chips) {
			out->chips = chips_of[i].chip;
			return ASC_OK;
		}
	return asc_err_set(e, ASC_USAGE,
			   "--device %s: expected cpu, cuda or one of sm_70 to sm_120 with --plan; "
			   "--chip names other GPUs",
			   device);
}

/* A probe that was asked for and has no plan is no part of one. */
static enum asc_status check_probes(const struct profile_options *o, struct asc_err *e)
{
	for (size_t i = 0; o->probes[i]; i++)
		if (!probe_find(o->probes[i])->counter)
			return asc_err_set(e, ASC_USAGE, "--probe: %s counts without a plan",
					   o->probes[i]);
	return ASC_OK;
}

enum asc_status profile_plan_print(const struct profile_options *o, const char *device,
				   const char *chips, bool json, struct asc_err *e)
{
	struct profile_options opened = *o;
	struct plan_view v = {.device = "cuda", .probes = o->probes, .json = json};
	const struct metric_set *only = NULL;
	struct profile_wanted wanted;
	struct plan_wish wish;
	char *list = NULL;

	if (check_probes(o, e) || read_wish(device, chips, &wish, e))
		return e->status;
	enum asc_status s = profile_options_open(&opened, "cuda", &wanted, e);

	wish.gpu &= !o->probes[0] || str_is_in(probe_cupti.name, o->probes);
	wish.cpu &= !o->probes[0] || str_is_in(probe_perf_event.name, o->probes);
	v.book = opened.book;
	if (s == ASC_OK && o->set)
		s = metric_book_find_set(v.book, o->set, &only, e);
	if (s == ASC_OK && wish.gpu) {
		if (wish.chips || !knows_device(v.book)) {
			list = str_dup(wish.chips ? wish.chips : DEFAULT_CHIPS);
			s = list ? ASC_OK : asc_err_nomem(e);
		}
		if (s == ASC_OK)
			s = set_chips(&v, list, e);
		if (s == ASC_OK)
			s = print_set(&v, only, e);
		/* The processor's plan needs no libcupti. */
		if (s == ASC_ABSENT && wish.cpu) {
			log_print(LOG_NOTE, "%s", e->text);
			s = ASC_OK;
		} else if (s == ASC_OK && wish.cpu && !json) {
			putchar('\n');
		}
	}
	if (s == ASC_OK && wish.cpu) {
		v.device = "cpu";
		v.n_chips = 1;
		v.chips[0] = NULL;
		s = print_set(&v, only, e);
	}
	free(list);
	profile_options_fini(&opened);
	return s;
}
