/* Results of CLBlast's tuners, clblast_FAMILY_PRECISION.json: those of one kernel, with one
 * problem.
 *
 * A document owns everything that it gives; records are borrowed during their visit. Format: what
 * the tuners of CLBlast at eeff2514 (2026-04-13) write and its scripts/database read. */
#ifndef ASCTUNE_EXCHANGE_FORMATS_CLBLAST_H
#define ASCTUNE_EXCHANGE_FORMATS_CLBLAST_H

#include <stdbool.h>

#include "reports/exchange/formats/t4.h"

struct clblast;
struct json_doc;

bool clblast_recognise(const struct json_doc *doc);

/* Takes the document, whatever comes of it. ASC_INPUT for anything else, with the path inside. */
enum asc_status clblast_open(struct json_doc *doc, struct clblast **out, struct asc_err *e);
void clblast_close(struct clblast *c);

const struct t4_subject *clblast_get_subject(const struct clblast *c);
enum asc_status clblast_each(const struct clblast *c, t4_visit_fn *visit, void *user,
			     struct asc_err *e);

#endif
