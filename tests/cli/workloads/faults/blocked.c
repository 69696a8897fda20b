/* Blocks every signal that can be blocked and never returns: timeout all the same, since SIGKILL
 * cannot be. */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void scale(const float *x, float *y, int64_t n)
{
	(void)x, (void)y, (void)n;
	volatile bool forever = true;
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	while (forever)
		;
}
