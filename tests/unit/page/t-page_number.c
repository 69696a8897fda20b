/* Numbers of the page as people read them.
 * covers: page_number.c */
#include "reports/page/parts/page_number.h"

#include "reports/track/track_series.h"
#include "tests/tap.h"

static void test_changes(void)
{
	static const struct {
		double pct, low_pct, high_pct;
		const char *text;
	} cases[] = {
		{5.1, 4.8, 5.5, "+5.1 % [+4.8, +5.5]"},
		{-5.1, -5.5, -4.8, "−5.1 % [−5.5, −4.8]"},
		{0.5, -0.5, 1.5, "+0.5 % [−0.5, +1.5]"},
		{5911.5, 5366.6, 6456.6, "60.12× slower [54.67, 65.57]"},
		{-75, -80, -60, "4.00× faster [2.50, 5.00]"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct track_series s = {.change_pct = cases[i].pct,
					       .low_pct = cases[i].low_pct,
					       .high_pct = cases[i].high_pct};
		char text[NUMBER_TEXT_SIZE];

		tap_str(number_print_change(&s, text), cases[i].text, "%g %%", cases[i].pct);
	}
}

static void test_time_changes(void)
{
	char text[NUMBER_TEXT_SIZE];

	tap_str(number_print_time_change(30.6, text), "+30.6 %", "a change");
	tap_str(number_print_time_change(5911.5, text), "60.12× slower", "a multiple");
	tap_str(number_print_time_change(-75, text), "4.00× faster", "a part");
}

int main(void)
{
	test_changes();
	test_time_changes();
	return tap_done();
}
