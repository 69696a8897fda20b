#include "reports/page/plot/palette.h"

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

/* Nine points of viridis, by S. van der Walt and N. Smith (CC0). */
const struct palette_stop palette_ramp[] = {{0, 0x440154},    {0.13, 0x472d7b}, {0.25, 0x3b528b},
					    {0.38, 0x2c728e}, {0.5, 0x21918c},  {0.63, 0x28ae80},
					    {0.75, 0x5ec962}, {0.88, 0xaddc30}, {1, 0xfde725}};

/* Below it white has a contrast of 4.5 to 1 or more (WCAG 2, 1.4.3), above it black has. */
const double palette_ink_turn = 0.435;

static unsigned mix(unsigned a, unsigned b, double part, int shift)
{
	const double from = (double)(a >> shift & 0xff), to = (double)(b >> shift & 0xff);

	return (unsigned)(from + part * (to - from) + 0.5) << shift;
}

unsigned palette_find_ramp(double place)
{
	const struct palette_stop *s = palette_ramp;

	while (s[1].place < place && s[1].place < 1)
		s++;
	const double part = (place - s->place) / (s[1].place - s->place);

	return mix(s->color, s[1].color, part, 16) | mix(s->color, s[1].color, part, 8) |
	       mix(s->color, s[1].color, part, 0);
}

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
