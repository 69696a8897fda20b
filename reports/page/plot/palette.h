/* The colours of pictures and page: one list for the style sheet, the scripts and the test of their
 * contrast. */
#ifndef ASCTUNE_PAGE_PLOT_PALETTE_H
#define ASCTUNE_PAGE_PLOT_PALETTE_H

struct buf;

/* name of the CSS variable, light, dark, what it is for */
#define PALETTE_LIST(X)                                                                            \
	X(fg, 0x1a1a1f, 0xe8e8ee, "text and axes")                                                 \
	X(mut, 0x5b5b66, 0xa6a6b3, "ticks and notes")                                              \
	X(grid, 0xe2e2e9, 0x2f303a, "grid")                                                        \
	X(bg, 0xffffff, 0x15161a, "page")                                                          \
	X(s1, 0x1f6fb2, 0x7db8f0, "data")                                                          \
	X(s2, 0xb8480a, 0xffae70, "best")                                                          \
	X(s3, 0x6a4fb3, 0xb8a4f5, "a third series")                                                \
	X(bad, 0xc5221f, 0xff8a80, "regression")                                                   \
	X(good, 0x0d5c2a, 0x7ddc95, "improvement")                                                 \
	X(band, 0xc6d7ea, 0x2b4566, "spread")                                                      \
	X(na, 0xd4d4dc, 0x3a3b46, "not valid")

struct palette_color {
	const char *name;     /* fg: `var(--fg)` */
	unsigned light, dark; /* 0xRRGGBB */
	unsigned sentinel;    /* what a script draws with, to be replaced by the variable */
	const char *use;
};

extern const struct palette_color palette[]; /* ended by a NULL name */

/* The ramp of heat maps, from low to high: lightness rises steadily from dark blue to yellow, so
 * that it can be read with any colour vision and in grey print. */
struct palette_stop {
	double place; /* 0 to 1 */
	unsigned color;
};
extern const struct palette_stop palette_ramp[]; /* ended by place 1 */

/* Colour at a place from 0 to 1, 0xRRGGBB. */
unsigned palette_find_ramp(double place);

enum { PALETTE_INK_LIGHT = 0xffffff, PALETTE_INK_DARK = 0x000000 };
extern const double palette_ink_turn; /* light ink is read below this place, dark above: 4.5 to 1 */

/* `--fg:#1a1a1f;--mut:…`, for a rule of the style sheet. */
void palette_print_light(struct buf *out);
void palette_print_dark(struct buf *out);

#endif
