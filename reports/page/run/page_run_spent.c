/* The view of time spent: phases of the trials, finals, and the rest. */
#include <math.h>

#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"

enum part { PART_LOAD, PART_VERIFY, PART_MEASURE, PART_FINALS, PART_REST, PARTS };

static const char *const part_names[PARTS] = {"load", "verify", "measure", "finals and after",
					      "building and waiting"};
static const char *const part_notes[PARTS] = {
	"loading kernels, all trials", "first launch and comparison with the reference",
	"warm-up and samples, all trials",
	"from the last trial of the search to the end of the run",
	"what is left of the search: compilers that the device waited for, strategy, database"};

struct spent {
	double parts[PARTS]; /* s */
	double phases[PHASE_COUNT], wall;
	bool ended;
	size_t cached, built;
};

/* Adds up the parts of a run's time; a run that has not ended in order ends with its last trial. */
static void add_up(const struct page_run *r, struct spent *s)
{
	const struct db_run_view *v = r->row;
	int64_t last = v->started_ms;

	*s = (struct spent){.ended = v->ended_ms > 0};
	for (size_t k = 0; k < r->table.n; k++) {
		const struct run_trial *x = &r->table.trials[k];

		for (size_t p = 0; p < PHASE_COUNT; p++)
			s->phases[p] += (double)x->spent_ns[p] * 1e-9;
		last = x->recorded_ms > last ? x->recorded_ms : last;
		s->cached += x->cached;
		s->built += !x->cached && x->spent_ns[PHASE_BUILD] > 0;
	}
	s->wall = (double)((s->ended ? v->ended_ms : last) - v->started_ms) / 1e3;
	/* Compilers work beside the device, several at a time: their time is no part of the run. */
	s->parts[PART_LOAD] = s->phases[PHASE_LOAD];
	s->parts[PART_VERIFY] = s->phases[PHASE_VERIFY];
	s->parts[PART_MEASURE] = s->phases[PHASE_MEASURE];
	s->parts[PART_FINALS] = s->ended ? fmax((double)(v->ended_ms - last) / 1e3, 0) : 0;
	s->parts[PART_REST] = fmax(s->wall - s->parts[PART_LOAD] - s->parts[PART_VERIFY] -
					   s->parts[PART_MEASURE] - s->parts[PART_FINALS],
				   0);
}

static void write_parts(struct page_run *r, const struct spent *s)
{
	static const struct html_column columns[] = {{"part", NULL, false},
						     {"time", NULL, true},
						     {"of the run", "%", true},
						     {"what it is", NULL, false},
						     {NULL, NULL, false}};
	struct html_table t = {.out = r->p->out,
			       .id = page_print(r->p, "%s_parts", r->id),
			       .caption = "Parts of the run",
			       .columns = columns,
			       .data = true};

	html_table_begin(&t);
	for (size_t k = 0; k < PARTS; k++) {
		if (!html_table_row(&t))
			continue;
		html_cell_text(&t, part_names[k]);
		html_cell_time(&t, s->parts[k] * 1e9);
		html_cell_number(&t, s->wall > 0 ? 100 * s->parts[k] / s->wall : NAN, 1);
		html_cell_text(&t, part_notes[k]);
	}
	html_table_end(&t);
}

static const char *describe_spent(struct page *p, const struct spent *s)
{
	char wall[UNITS_TEXT_SIZE], build[UNITS_TEXT_SIZE];

	const char *compiled =
		s->built ? page_print(p,
				      "Compilers worked %s in all, several at the same time: built "
				      "%zu, from the cache %zu.",
				      units_print_duration(s->phases[PHASE_BUILD] * 1e9, build),
				      s->built, s->cached)
			 : page_print(p, "Nothing was compiled: from the cache %zu.", s->cached);

	return page_print(p, "The run took %s%s. %s", units_print_duration(s->wall * 1e9, wall),
			  s->ended ? "" : " up to its last trial; its end was not recorded",
			  compiled);
}

enum asc_status page_run_spent(struct page_run *r, struct asc_err *e)
{
	struct spent s;

	(void)e;
	add_up(r, &s);
	if (r->row->imported || s.wall <= 0) {
		page_run_lacks(r, "where the time went (not recorded)");
		return ASC_OK;
	}
	page_run_heading(r, "Where the time went");
	buf_print(r->p->out, "<p class=\"note\">%s</p>\n", describe_spent(r->p, &s));
	write_parts(r, &s);
	return ASC_OK;
}
