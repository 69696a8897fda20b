/* What tests/bench/calibrate runs where no compiler is at hand: bounds of memory that are found
 * with questions, answered from recorded verdicts. Exit status 1 below a limit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/limits/verdict_rows.h"
#include "tuner/base/buf.h"

enum { LARGEST_QUESTIONS = 12, FORESEEN_PCT = 90 };

static const char *const space_names[CALIBRATION_SPACES] = {"ub", "l1", "l0c"};

static void print_variant(const char *variant, const struct calibration_report *r,
			  const char *const *sizes)
{
	printf("    %s: %zu questions\n", variant, r->asked);
	for (size_t s = 0; s < CALIBRATION_SPACES; s++) {
		struct buf text = {0};
		size_t n = 0;
		while (sizes[n])
			n++;
		tile_bound_print(&r->bounds[s], sizes, n, "9e9", &text);
		if (strcmp(buf_str(&text), "0") != 0)
			printf("        %s: %s\n", space_names[s], buf_str(&text));
		buf_fini(&text);
	}
}

static bool replay(const struct recorded_kernel *k, const char *model, bool says_all)
{
	struct recorded_sums s;

	if (!recorded_replay(k, model, CALIBRATION_QUESTIONS, says_all ? print_variant : NULL,
			     &s)) {
		printf("%-28s cannot be read\n", k->file);
		return false;
	}
	const bool good = s.lost == 0 && 100 * s.foreseen >= FORESEEN_PCT * s.refused &&
			  s.most_asked <= CALIBRATION_QUESTIONS;
	printf("%-28s %-6s %3zu %5zu %6zu %5zu %8zu %9zu   %4zu %5zu %8zu %9zu%s\n", k->file, model,
	       s.variants, s.most_asked, s.fitting, s.lost, s.refused, s.foreseen, s.kept_fitting,
	       s.kept_lost, s.kept_refused, s.kept_foreseen, good ? "" : "  <-- beyond the limit");
	return good;
}

int main(int argc, char **argv)
{
	const bool says_all = argc > 1 && strcmp(argv[1], "-v") == 0;
	size_t lines, found, most_asked;
	bool good = true;

	printf("%-28s %-6s %3s %5s %6s %5s %8s %9s   never asked: %s\n", "", "", "", "asked",
	       "taken", "lost", "refused", "foreseen", "taken, lost, refused, foreseen");
	for (const struct recorded_kernel *k = recorded_kernels; k->file; k++) {
		good = replay(k, "910B3", says_all) && good;
		good = replay(k, "950", says_all) && good;
	}
	good = recorded_largest(LARGEST_QUESTIONS, &lines, &found, &most_asked) && good &&
	       found == lines;
	printf("largest tiles: %zu of %zu found with at most %zu questions each (limit %d)\n",
	       found, lines, most_asked, LARGEST_QUESTIONS);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
