/* Expected values are those of scipy 1.17: mannwhitneyu(a, b, alternative='greater'), method
 * 'exact' where the smaller set has at most 8 samples and none are equal, else 'asymptotic'.
 * covers: stats.c */
#include "tuner/base/stats/stats.h"

#include "tests/tap.h"

static const struct {
	const char *name;
	int64_t a[12], b[12];
	size_t na, nb;
	double p;
} cases[] = {
	{"3 against 5", {5, 6, 7}, {1, 2, 3, 4, 8}, 3, 5, 0.125},
	{"3 all above 8", {10, 11, 12}, {1, 2, 3, 4, 5, 6, 7, 8}, 3, 8, 0.006060606060606061},
	{"3 all below 5", {1, 2, 3}, {10, 11, 12, 13, 14}, 3, 5, 1},
	{"5 against 8",
	 {101, 105, 99, 110, 120},
	 {100, 98, 97, 103, 104, 96, 95, 94},
	 5,
	 8,
	 0.014763014763014764},
	{"8 against 12",
	 {103, 108, 101, 112, 99, 107, 115, 104},
	 {100, 102, 98, 97, 105, 106, 96, 95, 94, 93, 92, 91},
	 8,
	 12,
	 0.00149241882988013},
	{"few with ties", {3, 3, 4, 5}, {1, 2, 3, 3, 4}, 4, 5, 0.09938586680841965},
	{"steps of a clock",
	 {32, 64, 64, 96, 96},
	 {32, 32, 64, 32, 32, 64, 32, 64},
	 5,
	 8,
	 0.04001516388019206},
	{"10 against 10",
	 {12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
	 {11, 13, 15, 17, 19, 21, 23, 25, 27, 29},
	 10,
	 10,
	 0.3668649978481236},
	{"9 all above 9",
	 {30, 31, 32, 33, 34, 35, 36, 37, 38},
	 {20, 21, 22, 23, 24, 25, 26, 27, 28},
	 9,
	 9,
	 0.00020614740103084563},
};

int main(void)
{
	const int64_t same[] = {7, 7, 7, 7};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		tap_real(rank_test_longer(cases[i].a, cases[i].na, cases[i].b, cases[i].nb),
			 cases[i].p, 1e-12, "%s", cases[i].name);
	tap_real(rank_test_longer(same, 4, same, 4), 1, 0, "all equal: no sign of a difference");
	tap_real(rank_test_longer(same, 0, same, 4), 1, 0, "nothing to compare");
	tap_real(rank_test_longer(same, 4, same, 0), 1, 0, "nothing to compare with");
	return tap_done();
}
