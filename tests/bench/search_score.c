/* Score of the runs of another tuner: `search_score FILE` reads a line for each run from standard
 * input, the configurations that it tried in their order, `A=1,B=2` separated by blanks, and prints
 * its score on the recorded results. tests/bench/search runs it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/formats/recorded.h"
#include "tuner/tune/replay/score.h"
#include "tuner/workload/space/space.h"

enum { MAX_RUNS = 1000 };

static struct asc_err e;

static void die(void)
{
	fprintf(stderr, "search_score: %s\n", e.text);
	exit(EXIT_FAILURE);
}

static size_t index_of(const struct recorded *r, const char *text)
{
	struct config c;
	uint64_t index;

	if (config_parse(text, space_names(r->space), space_params(r->space), &c, &e))
		die();
	if (!space_find(r->space, &c, &index)) {
		asc_err_set(&e, ASC_INPUT, "%s is not in the file", text);
		die();
	}
	return (size_t)index;
}

/* Replays a line: up to the budget, each configuration in its recorded time. */
static void replay_line(const struct score_space *s, char *line, struct score_run *out)
{
	const struct recorded *r = s->recorded;
	uint32_t best = SCORE_NO_RANK;
	double spent_s = 0;

	*out = (struct score_run){0, malloc(r->n * sizeof *out->end_s),
				  malloc(r->n * sizeof *out->best)};
	if (!out->end_s || !out->best) {
		asc_err_nomem(&e);
		die();
	}
	for (char *at = strtok(line, " \n"); at && spent_s < s->budget_s && out->n < r->n;
	     at = strtok(NULL, " \n")) {
		const size_t i = index_of(r, at);

		spent_s += r->spent_ns[i] * 1e-9;
		if (!isnan(r->time_ns[i]) && score_rank(s, r->time_ns[i]) < best)
			best = score_rank(s, r->time_ns[i]);
		out->end_s[out->n] = spent_s;
		out->best[out->n++] = best;
	}
}

int main(int argc, char **argv)
{
	static struct score_space space;
	static struct score score;
	static struct score_run runs[MAX_RUNS];
	struct recorded *r = NULL;
	char *line = NULL;
	size_t room = 0, n = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: search_score FILE <RUNS\n");
		return EXIT_FAILURE;
	}
	if (recorded_open(argv[1], &r, &e) || score_space_init(&space, r, &e))
		die();
	while (n < MAX_RUNS && getline(&line, &room, stdin) > 0)
		replay_line(&space, line, &runs[n++]);
	if (score_runs(&space, runs, n, &score, &e))
		die();
	printf("%.6f\n", score.mean);
	for (size_t i = 0; i < n; i++) {
		free(runs[i].end_s);
		free(runs[i].best);
	}
	free(line);
	recorded_close(r);
	return 0;
}
