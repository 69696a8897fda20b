#include "reports/plot/palette.h"

#include <stddef.h>

#include "tuner/base/buf.h"

enum { FIRST_SENTINEL = 0x0b0001 }; /* colours that nobody draws with: almost black */

enum {
#define X(name, light, dark, use) PLACE_##name,
	PALETTE_LIST(X)
#undef X
};

const struct palette_color palette[] = {
#define X(name, light, dark, use) {#name, light, dark, FIRST_SENTINEL + PLACE_##name, use},
	PALETTE_LIST(X)
#undef X
		{0}};

void palette_print_light(struct buf *out)
{
	for (const struct palette_color *c = palette; c->name; c++)
		buf_print(out, "--%s:#%06x;", c->name, c->light);
}

void palette_print_dark(struct buf *out)
{
	for (const struct palette_color *c = palette; c->name; c++)
		buf_print(out, "--%s:#%06x;", c->name, c->dark);
}
