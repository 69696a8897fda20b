/* Search-space files in the FAIR autotuning "T1" format: parameters with values, conditions. */
#ifndef ASCTUNE_MODEL_T1_H
#define ASCTUNE_MODEL_T1_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct json_doc;
struct space;

bool t1_recognise(const struct json_doc *doc); /* has a "ConfigurationSpace" */
enum asc_status t1_space(const struct json_doc *doc, struct space **out, struct asc_err *e);

#endif
