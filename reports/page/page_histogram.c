#include "reports/page/page_histogram.h"

#include "reports/page/page_number.h"
#include "tuner/base/buf.h"

enum { BARS = 20, WIDTH = 120, HEIGHT = 28 };

static void find_range(const int64_t *samples, size_t n, int64_t *low, int64_t *high)
{
	*low = *high = samples[0];
	for (size_t i = 1; i < n; i++) {
		*low = samples[i] < *low ? samples[i] : *low;
		*high = samples[i] > *high ? samples[i] : *high;
	}
}

/* Returns the largest. */
static size_t count_bars(const int64_t *samples, size_t n, int64_t low, int64_t high,
			 size_t counts[BARS])
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		const double part = (double)(samples[i] - low) / (double)(high - low);
		const size_t bar = part < 1 ? (size_t)(part * BARS) : BARS - 1;

		counts[bar]++;
		most = counts[bar] > most ? counts[bar] : most;
	}
	return most;
}

void page_histogram_print(const int64_t *samples_ns, size_t n, struct buf *out)
{
	const int width = WIDTH / BARS;
	size_t counts[BARS] = {0};
	int64_t low, high;
	char from[NUMBER_TEXT_SIZE], to[NUMBER_TEXT_SIZE];

	if (n < 2)
		return;
	find_range(samples_ns, n, &low, &high);
	if (low >= high)
		return;
	const size_t most = count_bars(samples_ns, n, low, high, counts);

	buf_print(
		out,
		"<svg class=\"spark\" role=\"img\" viewBox=\"0 0 %d %d\" aria-label=\"%zu samples "
		"from %s to %s in %d bars of equal width\">",
		WIDTH, HEIGHT, n, number_print_time((double)low, from),
		number_print_time((double)high, to), BARS);
	for (int i = 0; i < BARS; i++) {
		const double height = (double)(HEIGHT - 1) * (double)counts[i] / (double)most;

		if (counts[i])
			buf_print(out,
				  "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" "
				  "fill=\"var(--s1)\"/>",
				  i * width, HEIGHT - height, width - 1, height);
	}
	buf_add_str(out, "</svg>");
}
