/* A file of trials, read by RFC 4180 and compared with the database that it was made of. */
#ifndef ASCTUNE_TESTS_FUZZ_CSV_CHECK_H
#define ASCTUNE_TESTS_FUZZ_CSV_CHECK_H

#include <stddef.h>

struct db;

void csv_check(struct db *d, const char *text, size_t n); /* aborts where they differ */

#endif
