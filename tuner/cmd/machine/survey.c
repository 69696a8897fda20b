#include "tuner/cmd/machine/survey.h"

#include <stdio.h>
#include <string.h>

#include "probes/metrics/metric_book.h"
#include "tuner/base/buf.h"
#include "tuner/build/builder.h"
#include "tuner/cmd/listing.h"
#include "tuner/device/libs/cupti.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/process/proc_apart.h"

/* ---- devices ---- */

/* A proc_apart_fn. */
static enum asc_status ask(const void *question, void *answer, struct asc_err *e)
{
	const struct device_ops *ops = question;
	struct survey *out = answer;

	(void)e;
	if (!ops->check(out->reason, sizeof out->reason))
		return ASC_OK;
	out->reason[0] = '\0';
	out->count = ops->count();
	for (int i = 0; i < out->count && i < SURVEY_MOST; i++) {
		struct survey_device *d = &out->devices[i];
		struct device_info info = {0};
		char place[DEVICE_PLACE_SIZE];
		struct asc_err why;

		/* One device of several may be broken, or another process's. */
		(void)snprintf(place, sizeof place, "%d", i);
		if (ops->inspect(place, &info, &why))
			(void)snprintf(d->reason, sizeof d->reason, "%s", why.text);
		else
			(void)snprintf(d->model, sizeof d->model, "%s", info.model);
	}
	return ASC_OK;
}

const struct survey *survey_devices(const struct device_ops *ops)
{
	enum { KINDS = 8 }; /* more than there are: the last place is used again */
	static struct {
		const struct device_ops *ops;
		struct survey found;
	} asked[KINDS];
	size_t i = 0;
	struct asc_err e;

	while (i < KINDS - 1 && asked[i].ops && asked[i].ops != ops)
		i++;
	if (asked[i].ops == ops)
		return &asked[i].found;
	asked[i].ops = ops;
	asked[i].found = (struct survey){0};
	if (proc_apart(ask, ops, &asked[i].found, sizeof asked[i].found, PROC_APART_DRIVER_NS,
		       &e)) {
		(void)asc_err_wrap(&e, "its driver cannot be opened");
		(void)snprintf(asked[i].found.reason, sizeof asked[i].found.reason, "%s", e.text);
	}
	return &asked[i].found;
}

bool survey_check(const struct device_ops *ops, char *reason, size_t size)
{
	const struct survey *s = survey_devices(ops);

	(void)snprintf(reason, size, "%s", s->reason);
	return !*s->reason;
}

/* ---- tools ---- */

bool survey_counts(const struct probe_ops *ops, size_t k, char *reason, size_t size)
{
	char other[SURVEY_REASON_SIZE];
	bool there = false;

	for (size_t i = 0; device_list[i] && !there; i++)
		if (survey_check(device_list[i], other, sizeof other))
			there = probe_has(ops, device_list[i]->name, k, reason, size);
	return there;
}

bool survey_replays(const struct probe_ops *ops, const struct metric_def *m, char *reason,
		    size_t size)
{
	char other[SURVEY_REASON_SIZE];
	bool there = false;

	for (size_t i = 0; device_list[i] && !there; i++)
		if (probe_serves(ops, device_list[i]->name) &&
		    survey_check(device_list[i], other, sizeof other))
			there = ops->check(device_list[i]->name, reason, size) &&
				(!m || !ops->counts ||
				 ops->counts(device_list[i]->name, m, reason, size));
	if (!there && !*reason)
		(void)snprintf(reason, size, "no usable device of its kind");
	return there;
}

/* Adds how many of its metrics a probe counts here, and why it does not count the first of the
 * others.
 */
static void add_extent(const struct probe_ops *ops, struct buf *what)
{
	struct metric_book *book = NULL;
	const struct metric_def *m;
	char reason[512] = "", first[512] = "";
	size_t n = 0, all = 0;
	struct asc_err ignored;

	if (!ops->counts || metric_book_open(NULL, 0, &book, &ignored))
		return;
	for (size_t i = 0; (m = metric_book_metric(book, i)); i++) {
		if (strcmp(m->probe, ops->name) != 0)
			continue;
		all++;
		if (survey_replays(ops, m, reason, sizeof reason))
			n++;
		else if (!*first)
			(void)snprintf(first, sizeof first, "%s", reason);
	}
	if (n < all)
		buf_print(what, "; %zu of %zu metrics here (the others: %s)", n, all, first);
	metric_book_free(book);
}

void survey_list_probes(struct listing *l)
{
	for (size_t i = 0; probe_list[i]; i++) {
		const struct probe_ops *ops = probe_list[i];
		struct buf what = {0};
		char reason[512] = "";
		bool usable = false;

		for (size_t k = 0; ops->metrics && ops->metrics[k].name && !usable; k++)
			usable = survey_counts(ops, k, reason, sizeof reason);
		if (!ops->metrics)
			usable = survey_replays(ops, NULL, reason, sizeof reason);
		buf_add_str(&what, ops->summary);
		if (usable)
			add_extent(ops, &what);
		listing_add(l, ops->name, usable, buf_str(&what), reason);
		buf_fini(&what);
	}
}

void survey_list_builders(struct listing *l)
{
	for (size_t i = 0; builder_list[i]; i++) {
		const struct builder_ops *b = builder_list[i];
		char text[512], what[768], name[32];
		const bool usable = builder_is_usable(b, text, sizeof text);
		const bool compiles = usable && b->command;

		(void)snprintf(what, sizeof what, "%s%s%s", b->summary, compiles ? ": " : "",
			       compiles ? text : "");
		/* A language has a builder for each class of device: further ones are named after
		 * it. */
		const bool first = builder_find(b->name, NULL) == b;

		(void)snprintf(name, sizeof name, "%s%s%s", b->name, first ? "" : ".",
			       first ? "" : b->devices[0]);
		listing_add(l, name, usable, what, text);
	}
}

struct library_answer {
	char reason[1024]; /* "": it opens */
};

/* Adds a library that is opened in a process of its own: one that crashes or hangs is not usable.
 */
static void add_library(struct listing *l, const char *name, const char *summary,
			proc_apart_fn *open, const void *question)
{
	struct library_answer found = {""};
	struct asc_err e;

	if (proc_apart(open, question, &found, sizeof found, PROC_APART_DRIVER_NS, &e)) {
		(void)asc_err_wrap(&e, "it cannot be opened");
		(void)snprintf(found.reason, sizeof found.reason, "%s", e.text);
	}
	listing_add(l, name, !*found.reason, summary, found.reason);
}

/* A proc_apart_fn. */
static enum asc_status open_vendor(const void *question, void *answer, struct asc_err *e)
{
	const struct vendor_ops *ops = question;
	struct library_answer *out = answer;

	if (ops->open(e))
		(void)snprintf(out->reason, sizeof out->reason, "%s", e->text);
	return ASC_OK;
}

void survey_list_vendors(struct listing *l)
{
	/* Functions of Python are of no device: their row is that of the worker. */
	for (size_t i = 0; vendor_list[i]; i++)
		if (vendor_list[i]->device)
			add_library(l, vendor_list[i]->name, vendor_list[i]->summary, open_vendor,
				    vendor_list[i]);
}

/* A proc_apart_fn. */
static enum asc_status open_cupti(const void *question, void *answer, struct asc_err *e)
{
	struct library_answer *out = answer;

	(void)question;
	(void)e;
	(void)cupti_check(out->reason, sizeof out->reason);
	return ASC_OK;
}

void survey_list_clocks(struct listing *l)
{
	add_library(l, "cupti", "times each kernel on NVIDIA GPUs; events do without it",
		    open_cupti, "");
}
