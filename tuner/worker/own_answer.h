/* Outputs that hold the right values before a launch: a kernel that finds its own answer there, or
 * in scratch memory, and does less then, is timed by launches that nobody else will have. */
#ifndef ASCTUNE_WORKER_OWN_ANSWER_H
#define ASCTUNE_WORKER_OWN_ANSWER_H

#include "tuner/base/err.h"

struct measurement;
struct rng;
struct worker_problem;

/* Compares launches that find poison with launches that find the answer, which is written in the
 * same way: caches are alike, so that warm ones can be tried, too. The order of each pair is drawn.
 * The result is wrong where nearly all pairs differ by a quarter, or, of those that another process
 * disturbed, by a factor of two; one that passes takes a few pairs. When time is up nothing more is
 * found. Not tried are outputs in memories that hold views, and more than a gigabyte of outputs;
 * scratch memory takes part where there is little of it. */
enum asc_status own_answer_test(struct measurement *m, struct rng *rng, struct asc_err *e);

/* Frees what tests have kept for the next one: memory of the outputs, whose first touch takes as
 * long as the launches. */
void own_answer_forget(struct worker_problem *p);

#endif
