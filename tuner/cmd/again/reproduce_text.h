/* Output of `asctune reproduce` for one claim. */
#ifndef ASCTUNE_CMD_AGAIN_REPRODUCE_TEXT_H
#define ASCTUNE_CMD_AGAIN_REPRODUCE_TEXT_H

#include "tuner/base/buf.h"
#include "tuner/result/confirmation.h"
#include "tuner/result/reproduction.h"

struct claim;

struct reproduce_view { /* reproduce_view_fini() */
	const struct claim *claim;
	struct buf differences; /* lines of provenance_compare() */
	struct buf unknown;     /* what was not recorded, separated by ", " */
	struct confirmation measured;
	struct reproduction result;
};

void reproduce_view_fini(struct reproduce_view *v);

/* Print to stdout, for people: what was recorded and what differs, then what came of it. */
enum asc_status reproduce_text_begin(const struct reproduce_view *v, struct asc_err *e);
enum asc_status reproduce_text_end(const struct reproduce_view *v, struct asc_err *e);

/* Prints one JSON object. */
enum asc_status reproduce_text_json(const struct reproduce_view *v, struct asc_err *e);

#endif
