/* The pace of a machine, by times that are written down here. */
#include "tuner/run/pace.h"

#include "tests/tap.h"

int main(void)
{
	static const int64_t samples[] = {150, 104, 96, 101, 100, 99};
	struct pace p = {0};

	tap_real(pace_factor(&p), 1, 0, "nothing is known");
	pace_set(&p, samples, 6, 100);
	tap_real(pace_factor(&p), 1, 0, "its own samples, the newest five of them");
	tap_ok(!pace_differs(&p, 110, 0.1) && pace_differs(&p, 111, 0.1), "slower by a tenth");
	tap_ok(!pace_differs(&p, 90, 0.1) && pace_differs(&p, 89, 0.1), "faster by a tenth");
	pace_add(&p, 180);
	pace_add(&p, 180);
	tap_real(pace_factor(&p), 1.01, 1e-12, "two of five do not decide");
	pace_add(&p, 180);
	tap_real(pace_factor(&p), 1.8, 1e-12, "three do");
	pace_set(&p, samples, 2, 50);
	tap_real(pace_factor(&p), 2.54, 1e-12, "a new kernel with a normal time of its own");
	return tap_done();
}
