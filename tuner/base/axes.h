/* Names with the values that each is to have, NAME=VALUE,VALUE,NAME=VALUE, as options of the
 * command line give them.
 *
 * A struct axes owns its texts: `struct axes x = {0}`, axes_read() for each option, axes_fini(). */
#ifndef ASCTUNE_BASE_AXES_H
#define ASCTUNE_BASE_AXES_H

#include <stddef.h>

#include "tuner/base/err.h"

enum { AXES_MAX = 16, AXES_MAX_VALUES = 64, AXES_MAX_TEXTS = 2 };

struct axis {
	const char *option; /* that gave it, without its dashes */
	const char *name;
	const char *values[AXES_MAX_VALUES]; /* texts */
	size_t n;
};

struct axes {
	struct axis list[AXES_MAX];
	size_t n;
	char *texts[AXES_MAX_TEXTS]; /* copies that names and values point into */
	size_t n_texts;
};

/* Adds the axes of an option's text. A first value without a name belongs to `unnamed`, NULL: to
 * none; `example`: what is expected. ASC_USAGE for a text of another form. */
enum asc_status axes_read(struct axes *x, const char *option, const char *text, const char *unnamed,
			  const char *example, struct asc_err *e);
void axes_fini(struct axes *x);

#endif
