/* The devices that are known by name, whether here or not, as lines of `asctune list devices`. */
#ifndef ASCTUNE_CMD_LIST_MODELS_H
#define ASCTUNE_CMD_LIST_MODELS_H

#include <stdbool.h>

struct table;

/* With `json` on stdout, one object a line with memory spaces and facts, else as rows NAME, USABLE,
 * WHAT. */
void list_models(bool json, struct table *rows);

#endif
