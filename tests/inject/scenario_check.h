/* What must hold after a command in which a call failed. */
#ifndef ASCTUNE_TESTS_INJECT_SCENARIO_CHECK_H
#define ASCTUNE_TESTS_INJECT_SCENARIO_CHECK_H

#include "tests/inject/scenario.h"

/* A path in a ring of texts; `name` may be "". */
const char *scene_path(const char *scene, const char *folder, const char *name);

/* Trials in a database; -1: no database or no table, -2: a damaged one. */
long scene_count(const char *path);

/* False after TAP notes. */
bool scenario_check(const struct scene *s, const struct injection *what, const struct injected *r);

#endif
