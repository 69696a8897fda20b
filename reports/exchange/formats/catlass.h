/* Results of catlass' tuner, `mstuner_catlass --output=results.csv`: a line for each kernel and
 * problem, grouped here into those of one problem, device and kernel but for its tiles.
 *
 * A document owns everything that it gives; records are borrowed during their visit. Parameters are
 * the tiles of L1 and L0 and the swizzle that end a kernel's description,
 * `..._128x256x256_128x256x64_swizzle3x0`. Columns that are not known are left alone. */
#ifndef ASCTUNE_EXCHANGE_FORMATS_CATLASS_H
#define ASCTUNE_EXCHANGE_FORMATS_CATLASS_H

#include <stdbool.h>

#include "reports/exchange/formats/t4.h"

struct catlass;

bool catlass_recognise(const char *text); /* by the header */

/* Reads a copy of `text`, the content of the file at `path`, which messages name with the line.
 * ASC_INPUT for anything else. */
enum asc_status catlass_open(const char *path, const char *text, size_t len, struct catlass **out,
			     struct asc_err *e);
void catlass_close(struct catlass *c);

size_t catlass_count(const struct catlass *c); /* groups */
const struct t4_subject *catlass_get_subject(const struct catlass *c, size_t group);
enum asc_status catlass_each(const struct catlass *c, size_t group, t4_visit_fn *visit, void *user,
			     struct asc_err *e);

#endif
