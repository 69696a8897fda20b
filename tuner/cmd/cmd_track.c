/* asctune track: what became slower, what faster, and since when. */
#include <stdio.h>
#include <stdlib.h>

#include "reports/track/series_csv.h"
#include "reports/track/track_series.h"
#include "reports/track/track_write.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/cmd/command.h"

extern const struct command track_command;

struct track_options {
	const char *series, *markdown, *junit;
	bool json, strict;
	struct track_rule rule;
};

typedef void write_fn(const struct track_series *list, size_t n, struct buf *out);

static enum asc_status write_file(const char *path, write_fn *write,
				  const struct track_series *list, size_t n, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = ASC_OK;

	if (path) {
		write(list, n, &text);
		status = buf_check(&text, e);
	}
	if (path && status == ASC_OK)
		status = file_write(path, text.data, text.len, e);
	buf_fini(&text);
	return status;
}

static void print_point(const struct changepoint *c)
{
	double base = c->before < 0 ? -c->before / 100 : c->before / 100;

	printf("  from point %zu: %.6g, was %.6g", c->index, c->after, c->before);
	if (base > 0)
		printf(" (%+.1f %%, 95 %% interval %+.1f .. %+.1f)", (c->after - c->before) / base,
		       c->low / base, c->high / base);
	printf(", p = %.2g\n", c->p);
}

static void print_series(const struct track_series *s)
{
	printf("%s: %s, %zu points, %zu change%s%s%s\n", s->name, track_verdict_name(s->verdict),
	       s->n, s->found.n, s->found.n == 1 ? "" : "s", s->why ? ": " : "",
	       s->why ? s->why : "");
	for (size_t i = 0; i < s->found.n; i++)
		print_point(&s->found.list[i]);
}

static enum asc_status show(const struct track_options *o, const struct track_series *list,
			    size_t n, struct asc_err *e)
{
	struct buf line = {0};
	enum asc_status status = write_file(o->markdown, track_write_markdown, list, n, e);

	if (status == ASC_OK)
		status = write_file(o->junit, track_write_junit, list, n, e);
	for (size_t i = 0; i < n && status == ASC_OK; i++) {
		if (!o->json) {
			print_series(&list[i]);
			continue;
		}
		buf_clear(&line);
		track_write_json(&list[i], &line);
		status = buf_check(&line, e);
		if (status == ASC_OK)
			puts(line.data);
	}
	buf_fini(&line);
	return status;
}

static int exit_status(const struct track_options *o, const struct track_series *list, size_t n)
{
	struct track_counts c = track_series_count(list, n);

	if (c.of[TRACK_REGRESSION] > 0)
		return EXIT_NEGATIVE;
	return o->strict && c.of[TRACK_UNDECIDED] > 0 ? EXIT_UNDECIDED : EXIT_DONE;
}

static int track_file(const struct track_options *o, struct asc_err *e)
{
	struct track_series s = {.name = o->series};
	double *values = NULL;
	int status = EXIT_USAGE;

	if (series_csv_read(o->series, &values, &s.n, e))
		return command_fail(e);
	s.values = values;
	if (track_series_judge(&s, &o->rule, e) || track_series_control(&s, 1, &o->rule, e) ||
	    show(o, &s, 1, e))
		status = command_fail(e);
	else
		status = exit_status(o, &s, 1);
	track_series_fini(&s);
	free(values);
	return status;
}

static error_t parse_track(int key, char *arg, struct argp_state *state)
{
	struct track_options *o = state->input;

	switch (key) {
	case 's': o->series = arg; return 0;
	case 'j': o->json = true; return 0;
	case 'm': o->markdown = arg; return 0;
	case 'u': o->junit = arg; return 0;
	case 'S': o->strict = true; return 0;
	case ARGP_KEY_END:
		if (!o->series)
			argp_error(state, "a --series FILE is needed");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option track_options[] = {
	{"series", 's', "FILE", 0, "one number a line, or CSV with a column `value`", 0},
	{"json", 'j', NULL, 0, "one JSON object a series", 0},
	{"markdown", 'm', "FILE", 0, "also writes a summary for pull requests and CI", 0},
	{"junit", 'u', "FILE", 0, "also writes JUnit XML: regressions fail", 0},
	{"strict", 'S', NULL, 0, "exit status 4 when a series is undecided and none is worse", 0},
	{0}};
static const struct argp track_argp = {
	track_options,
	parse_track,
	"",
	"Finds the changes of level in a history of numbers, lower being better, and says whether "
	"the newest state is a regression, an improvement, unchanged or undecided.\v"
	"Steps are found in noise, outliers, drift and autocorrelation; what a step changes by "
	"less than 1 % is unchanged, and a step counts as new for 7 points. Exit status: 0 no new "
	"regression, 1 a new regression, 2 usage or bad input, 3 no values, 4 undecided "
	"(--strict).",
	0,
	0,
	0};

static int track_main(int argc, char **argv)
{
	struct track_options o = {.rule = track_rule_default};
	struct asc_err e;

	command_parse(&track_argp, argc, argv, &o);
	return track_file(&o, &e);
}

const struct command track_command = {"track", "finds regressions in histories", &track_argp,
				      track_main};
