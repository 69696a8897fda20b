/* One picture of each kind, of data that look like those of tuning: fixed random numbers. Included
 * by tests only. */
#ifndef ASCTUNE_TESTS_UNIT_PLOT_SAMPLES_H
#define ASCTUNE_TESTS_UNIT_PLOT_SAMPLES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/page/plot/picture.h"
#include "tuner/base/stats/rng.h"

enum {
	SAMPLES_NIGHTS = 180,
	SAMPLES_TRIALS = 300,
	SAMPLES_GROUPS = 4,
	SAMPLES_IN_GROUP = 150,
	SAMPLES_SCORES = 50,
	SAMPLES_ENERGIES = 60
};

/* Everything that the pictures borrow. */
struct samples {
	struct picture_point nights[SAMPLES_NIGHTS];
	struct picture_segment segments[3];
	struct picture_change changes[2];
	struct picture_event events[3];
	struct picture_history history;
	double trials[SAMPLES_TRIALS];
	struct picture_tuning tuning;
	double grouped[SAMPLES_GROUPS][SAMPLES_IN_GROUP];
	struct picture_group groups[SAMPLES_GROUPS];
	struct picture_distribution distribution;
	struct picture_roofline roofline;
	struct picture_cost energies[SAMPLES_ENERGIES];
	struct picture_pareto pareto;
	struct picture_pair pairs[200];
	struct picture_comparison comparison;
	double scores[2][SAMPLES_SCORES];
	struct picture_curve curves[2];
	struct picture_replay replay;
	struct picture pictures[PICTURE_KINDS];
};

static void samples_history(struct samples *s, struct rng *r)
{
	static const double levels[] = {3.1e-5, 3.42e-5, 3.18e-5};
	static const int starts[] = {0, 62, 128, SAMPLES_NIGHTS};
	const double first = 1767225600, day = 86400; /* 2026-01-01 */

	for (int k = 0; k < 3; k++) {
		s->segments[k] = (struct picture_segment){first + day * starts[k],
							  first + day * (starts[k + 1] - 1),
							  levels[k], 0.012 * levels[k]};
		for (int i = starts[k]; i < starts[k + 1]; i++)
			s->nights[i] = (struct picture_point){
				first + day * i, levels[k] * (1 + 0.012 * rng_normal(r)), i == 40};
		if (k)
			s->changes[k - 1] = (struct picture_change){first + day * starts[k],
								    levels[k - 1], levels[k]};
	}
	s->nights[90].value = 9.7e-5;
	for (int i = 100; i < 112; i++)
		s->nights[i].value = NAN;
	s->events[0] = (struct picture_event){first + day * 62, "driver 580"};
	s->events[1] = (struct picture_event){first + day * 70, "CUDA 13.0"};
	s->events[2] = (struct picture_event){first + day * 170, "driver 590.12"};
	s->history = (struct picture_history){
		s->nights, SAMPLES_NIGHTS, s->segments, 3, s->changes, 2, s->events, 3, true};
}

static void samples_tuning(struct samples *s, struct rng *r)
{
	for (int i = 0; i < SAMPLES_TRIALS; i++) {
		double g = rng_normal(r);
		s->trials[i] =
			rng_uniform(r) < 0.08
				? NAN
				: 2.1e-5 * exp(0.9 * rng_uniform(r) * (1 + 1.2 * exp(-i / 60.0)) +
					       0.25 * g * g);
	}
	s->tuning = (struct picture_tuning){s->trials, SAMPLES_TRIALS, NULL};
}

static void samples_groups(struct samples *s, struct rng *r)
{
	static const char *const names[] = {"16", "32", "64", "128"};

	for (int k = 0; k < SAMPLES_GROUPS; k++) {
		for (int i = 0; i < SAMPLES_IN_GROUP; i++)
			s->grouped[k][i] = 3e-5 * exp(0.16 * rng_normal(r) - 0.28 * k * (k < 3) +
						      (rng_uniform(r) < 0.3 ? 0.45 : 0));
		s->groups[k] = (struct picture_group){names[k], s->grouped[k], SAMPLES_IN_GROUP};
	}
	s->distribution = (struct picture_distribution){s->groups, SAMPLES_GROUPS, "tile_size"};
}

static void samples_roofline(struct samples *s)
{
	static const struct picture_ceiling peaks[] = {{"peak", 6e13}, {"no tensor path", 3e13}};
	static const struct picture_ceiling memories[] = {{"memory", 4e12}, {"cache", 1.1e13}};
	static const struct picture_kernel kernels[] = {
		{"copy_add", 0.8, 0.98e12, PICTURE_BEST},
		{"softmax", 3.2, 7.9e12, PICTURE_BEST},
		{"conv_3x3", 14, 2.1e13, PICTURE_BEST},
		{"gemm_f32", 85, 4.4e13, PICTURE_DEFAULT},
		{"gemm_f32 (old best)", 85, 4.1e13, PICTURE_BASELINE}};

	static const struct picture_levels levels[] = {
		{"softmax", 7.9e12, {"DRAM", "L2", "L1"}, {3.1, 2.4, 1.2}, 3, 0},
		{"gemm_f32", 4.4e13, {"DRAM", "L2"}, {85, 9}, 2, 2}};

	s->roofline = (struct picture_roofline){peaks, 2, memories, 2, kernels, 5, levels, 2};
}

static void samples_pairs(struct samples *s, struct rng *r)
{
	for (int i = 0; i < SAMPLES_ENERGIES; i++) {
		double u = rng_uniform(r), t = 2e-5 * (1 + 1.6 * u * rng_uniform(r));
		const double j = 4e-3 * (0.75 + 0.5 * (4e-10 / (t * t)) + 0.6 * rng_uniform(r));
		s->energies[i] = (struct picture_cost){t,
						       0.99 * t,
						       1.02 * t,
						       j,
						       i % 7 ? 0.97 * j : NAN,
						       1.03 * j,
						       NULL,
						       i == 3   ? "energy, edp"
						       : i == 9 ? "time"
								: NULL};
	}
	s->pareto = (struct picture_pareto){s->energies, SAMPLES_ENERGIES};
	for (int i = 0; i < 200; i++) {
		double t = 2e-5 * exp(1.5 * rng_uniform(r));
		s->pairs[i] = (struct picture_pair){t, t * exp(0.05 * rng_normal(r) + 0.03), NULL};
	}
	s->comparison = (struct picture_comparison){s->pairs, 200, "time in run 12 (driver 575)",
						    "time in run 14 (driver 580)", exp(0.03)};
}

static void samples_replay(struct samples *s)
{
	static const char *const names[] = {"convolution_A100", "dedispersion_A100"};

	for (int k = 0; k < 2; k++) {
		for (int i = 0; i < SAMPLES_SCORES; i++)
			s->scores[k][i] = k == 0 && i == 0 ? -3 : 0.8 - (1 + k) * 2.0 / (i + 3);
		s->curves[k] = (struct picture_curve){names[k], s->scores[k]};
	}
	s->replay = (struct picture_replay){s->curves, 2, SAMPLES_SCORES};
}

static void samples_requests(struct samples *s)
{
	static const char *const ids[] = {"hist",   "tune", "dist",  "roof",
					  "pareto", "comp", "replay"};

	for (int k = 0; k < PICTURE_KINDS; k++)
		s->pictures[k] =
			(struct picture){.kind = (enum picture_kind)k,
					 .id = ids[k],
					 .title = picture_kind_name((enum picture_kind)k),
					 .description = "What there is to see, with < & >."};
#define X(code, name, member) s->pictures[PICTURE_##code].data.member = &s->member;
	PICTURE_KIND_LIST(X)
#undef X
}

static inline void samples_init(struct samples *s)
{
	struct rng r;

	memset(s, 0, sizeof *s);
	rng_init(&r, 20260101);
	samples_history(s, &r);
	samples_tuning(s, &r);
	samples_groups(s, &r);
	samples_roofline(s);
	samples_pairs(s, &r);
	samples_replay(s);
	samples_requests(s);
}

#endif
