/* Words for intervals of ratios of times, worked out by hand.
 * covers: confirmation.c */
#include "tuner/result/confirmation.h"

#include "tests/tap.h"
#include "tuner/base/buf.h"

int main(void)
{
	static const struct {
		double low, high;
		const char *words;
	} cases[] = {
		{1 / 7.75, 1 / 0.89, "1.1x slower and 7.8x faster"},
		{0.97, 1.04, "4.0 % slower and 3.1 % faster"},
		{0.95, 2, "2.0x slower and 5.3 % faster"},
		{1.02, 1.5, "1.5x slower and 2.0 % slower"},
		{0.5, 0.999, "0.1 % faster and 2.0x faster"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct confirmation_ratio r = {1, cases[i].low, cases[i].high};
		struct buf out = {0};

		confirmation_print_range(&r, &out);
		tap_str(buf_str(&out), cases[i].words, "%g .. %g", r.low, r.high);
		buf_fini(&out);
	}
	return tap_done();
}
