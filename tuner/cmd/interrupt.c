#include "tuner/cmd/interrupt.h"

#include "tuner/cmd/screen.h"

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
	asked = 1;
	screen_leave();
	signal(sig, SIG_DFL);
}

const volatile sig_atomic_t *interrupt_watch(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup has asked for that */
		sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	return &asked;
}
