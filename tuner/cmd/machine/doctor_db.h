/* The part of `asctune doctor` about a database: what takes its room, and whether it is sound. */
#ifndef ASCTUNE_CMD_MACHINE_DOCTOR_DB_H
#define ASCTUNE_CMD_MACHINE_DOCTOR_DB_H

#include <stdbool.h>

#include "tuner/base/err.h"

/* Prints a table, or with `json` an object a line. *sound is false where something is wrong with
 * the file, which is said. Errors as of opening it. */
enum asc_status doctor_db(const char *path, bool json, bool *sound, struct asc_err *e);

#endif
