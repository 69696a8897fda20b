/* What asctune track writes of foreign names: Markdown, annotations, JUnit, JSON and lines. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_groups.h"
#include "reports/track/track_history.h"
#include "reports/track/track_transitions.h"
#include "reports/track/track_write.h"
#include "tests/fuzz/writers/foreign.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

enum { SERIES = 6, TURNS = 3, ANNOTATIONS = 10 };

static const double values[] = {1, 1, 1, 1, 1, 1, 2, 2};

static char *copy(const struct foreign *f, size_t i)
{
	char *text = str_dup(foreign_name(f, i));

	if (!text)
		abort();
	return text;
}

/* Every verdict and every state, each with foreign text wherever there is text. */
static struct track_series make_series(const struct foreign *f, size_t k)
{
	struct track_series s = {.name = foreign_name(f, k),
				 .device = k == 5 ? NULL : foreign_name(f, k + 1),
				 .workload = k == 5 ? NULL : foreign_name(f, k + 2),
				 .problem = foreign_name(f, k + 3),
				 .implementation = foreign_name(f, k + 4),
				 .cache = "hot",
				 .metric = TRACK_TIME,
				 .values = values,
				 .n = sizeof values / sizeof *values,
				 .verdict = (enum track_verdict)(k % TRACK_VERDICT_COUNT),
				 .changed = k != TRACK_BROKEN,
				 .index = 6,
				 .before = 1,
				 .after = 2,
				 .change_pct = 100,
				 .low_pct = 99,
				 .high_pct = 101,
				 .cause = TRACK_CAUSE_SLOWER,
				 .again.confirmed = k == 1,
				 .why = copy(f, k + 5),
				 .again.note = copy(f, k + 6)};

	if (k == 5)
		s.ack.reason = copy(f, k + 7);
	return s;
}

static struct track_transitions make_groups(const struct track_transition *transitions)
{
	struct track_transitions groups = {0};
	struct asc_err e;

	for (size_t i = 0; i < TURNS; i++)
		if (track_transitions_add(&groups, &transitions[i], &e))
			abort();
	return groups;
}

static void check_markdown(const struct track_groups *g, const struct track_transition *transitions)
{
	struct buf out = {0};
	const char *wrong, *at;

	track_write_markdown(g, &out);
	struct track_transitions groups = make_groups(transitions);

	track_transitions_write_markdown(&groups, &out);
	track_transitions_fini(&groups);
	at = markdown_check(buf_str(&out), &wrong);
	if (at)
		foreign_fail("Markdown", wrong, at);
	buf_fini(&out);
}

static void check_junit(const struct track_groups *g)
{
	struct buf out = {0};

	track_write_junit(g, &out);
	foreign_check_markup("JUnit", &out, MARKUP_XML);
	buf_fini(&out);
}

/* Every line is a command of ours, and what it says is data of it. */
static void check_annotations(const struct track_groups *g)
{
	static const char ours[] = "::error title=";
	struct buf out = {0};
	size_t lines = 0;

	track_write_annotations(g, &out);
	for (const char *at = buf_str(&out); *at; at += strcspn(at, "\n") + 1, lines++)
		if (strncmp(at, ours, sizeof ours - 1) != 0)
			foreign_fail("annotations", "a line that is not ours", at);
	if (lines > ANNOTATIONS)
		foreign_fail("annotations", "too many", buf_str(&out));
	if (foreign_bad_character(buf_str(&out)))
		foreign_fail("annotations", "no character", foreign_bad_character(out.data));
	buf_fini(&out);
}

/* What is printed where a runner looks for workflow commands: none begins a line. */
static void check_lines(const char *text)
{
	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const char *first = at;

		while (isspace((unsigned char)*first))
			first++;
		if (strncmp(first, "::", 2) == 0)
			foreign_fail("lines", "a workflow command", at);
	}
	if (foreign_bad_character(text))
		foreign_fail("lines", "no character", foreign_bad_character(text));
}

static void check_json(const struct buf *out)
{
	struct json_doc *doc = NULL;
	struct asc_err e;

	if (strchr(buf_str(out), '\n') || json_open_text("JSON", out->data, out->len, &doc, &e))
		foreign_fail("JSON", "not one document on one line", buf_str(out));
	json_close(doc);
}

static void write_series(const struct track_groups *g)
{
	struct buf lines = {0}, json = {0};

	track_write_lines(g, true, &lines);
	check_lines(buf_str(&lines));
	for (size_t i = 0; i < g->n; i++) {
		buf_clear(&json);
		track_write_json(&g->list[i], &json);
		check_json(&json);
	}
	buf_fini(&lines);
	buf_fini(&json);
}

static void write_transitions(const struct track_transition *transitions)
{
	struct track_transitions groups = make_groups(transitions);
	struct buf lines = {0}, json = {0};
	size_t n = 0;

	track_transitions_write(&groups, &lines);
	check_lines(buf_str(&lines));
	for (const char *at = buf_str(&lines); (at = strchr(at, '\n')); at++)
		n++;
	if (n != groups.n)
		foreign_fail("lines", "a turn of two lines", buf_str(&lines));
	for (size_t i = 0; i < TURNS; i++) {
		buf_clear(&json);
		track_write_transition_json(&transitions[i], &json);
		check_json(&json);
	}
	track_transitions_fini(&groups);
	buf_fini(&lines);
	buf_fini(&json);
}

void foreign_write_verdicts(const struct foreign *f)
{
	struct track_series list[SERIES];
	struct track_transition transitions[TURNS];
	const struct track_history h = {.list = list, .n = SERIES, .n_all = SERIES};
	struct track_groups g;
	struct asc_err e;

	for (size_t k = 0; k < SERIES; k++)
		list[k] = make_series(f, k);
	for (size_t k = 0; k < TURNS; k++)
		transitions[k] =
			(struct track_transition){.device_kind = foreign_name(f, k),
						  .device_model = foreign_name(f, k + 1),
						  .workload = foreign_name(f, k + 2),
						  .problem = foreign_name(f, k + 3),
						  .cache_policy = "hot",
						  .implementation = foreign_name(f, k + 4),
						  .config_key = k ? foreign_name(f, k + 5) : NULL,
						  .was = "ok",
						  .is = "crashed",
						  .reason = foreign_name(f, k + 6)};
	list[1].baseline = &list[0];
	list[1].control = (struct track_control){.known = true, .shared = true};
	if (track_groups_find(&h, &g, &e))
		abort();
	check_markdown(&g, transitions);
	check_junit(&g);
	check_annotations(&g);
	write_series(&g);
	track_groups_fini(&g);
	for (size_t k = 0; k < SERIES; k++)
		track_series_fini(&list[k]);
	write_transitions(transitions);
}
