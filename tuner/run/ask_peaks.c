#include "tuner/run/ask_peaks.h"

#include <poll.h>

#include "tuner/base/units.h"
#include "tuner/run/worker_link.h"

enum { TURN_MS = 100 };
static const int64_t LIMIT_NS = INT64_C(30000000000); /* many times what measuring takes */

static enum asc_status hear_peaks(struct worker_link *l, enum dtype type, struct peaks *out,
				  int64_t until_ns, struct asc_err *e)
{
	const int64_t limit = clock_now_ns() + LIMIT_NS;
	const int64_t end = until_ns > 0 && until_ns < limit ? until_ns : limit;
	struct link_message m;

	do {
		struct pollfd fd = {.fd = l->channel.fd, .events = POLLIN};

		(void)poll(&fd, 1, TURN_MS);
		link_listen(l); /* so that it never waits for us */
		do {
			if (link_hear(l, &m, e))
				return e->status;
			if (m.event == LINK_PEAKS) {
				*out = m.peaks;
				out->type = type;
				return ASC_OK;
			}
			if (m.event == LINK_RESULT)
				result_fini(&m.result);
		} while (m.event != LINK_NOTHING);
	} while (clock_now_ns() < end);
	return asc_err_set(e, ASC_TIMEOUT, "the worker did not answer");
}

enum asc_status ask_peaks(struct worker_link *l, enum dtype type, struct peaks *out,
			  int64_t until_ns, struct asc_err *e)
{
	if (!l->alive)
		return asc_err_set(e, ASC_IO, "there is no worker to ask");
	return link_ask_peaks(l, type, e) ? e->status : hear_peaks(l, type, out, until_ns, e);
}
