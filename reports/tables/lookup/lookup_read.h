/* Dispatch tables from files: a file of rules, the exporter's best.json, or a database. */
#ifndef ASCTUNE_TABLES_LOOKUP_LOOKUP_READ_H
#define ASCTUNE_TABLES_LOOKUP_LOOKUP_READ_H

#include "tuner/base/err.h"

struct lookup;

/* Reads the file at `path`; *out is the caller's to lookup_free(), unchanged on failure. Tables of
 * measured results, best.json and databases, answer with the nearest sizes where none fit, and
 * prefer results with cold caches; files of rules say all that they mean. Errors name file and
 * place: ASC_INPUT for another format or an unknown key, ASC_NEWER for a newer version. */
enum asc_status lookup_read(const char *path, struct lookup **out, struct asc_err *e);

#endif
