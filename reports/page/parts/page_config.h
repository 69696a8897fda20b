/* Configurations on the page: their settings, and chips that show what differs from another
 * configuration. Texts are borrowed. */
#ifndef ASCTUNE_PARTS_PAGE_CONFIG_H
#define ASCTUNE_PARTS_PAGE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/result/setting.h"

struct buf;
struct db_failure;
struct run_implementation;

enum { PAGE_RUN_CONFIG = 200 }; /* most characters of a configuration that are shown */

bool page_setting_is(const struct setting *s, const char *value);

/* Writes a part of a key, isolated from the text around it. */
void page_setting_write(const char *text, size_t len, size_t most, struct buf *out);

/* Writes a chip for each parameter of `key`, in the order of `order` (NULL: of the key). Parameters
 * with another value in `before` (NULL: nothing to compare with) come first, with both values. */
void page_chips_write(const char *before, const char *key, const struct run_implementation *order,
		      struct buf *out);

/* Writes the number of configurations that failed in one way, with the reason: a visitor of
 * db_each_failure(), whose `user` is the struct buf. */
enum asc_status page_failure_write(void *user, const struct db_failure *f, struct asc_err *e);

#endif
