/* The entries of evaluator_list, each defined in a file of its own. A new evaluator is its file, a
 * line here and a line in evaluator.c. */
#ifndef ASCTUNE_RUN_EVALUATORS_H
#define ASCTUNE_RUN_EVALUATORS_H

#include "tuner/run/evaluator.h"

extern const struct evaluator_ops evaluator_worker;

#endif
