/* Replies that a worker sends when a kernel has written over its memory: JSON, but nothing that a
 * worker says. */
#include "tuner/run/worker_link.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"

/* Reads one line as the coordinator does. */
static enum asc_status hear(const char *line, struct link_message *m, struct asc_err *e)
{
	struct worker_link l = {0};
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0 ||
	    send(fds[0], line, strlen(line), 0) < 0)
		return asc_err_set(e, ASC_IO, "no stream");
	(void)shutdown(fds[0], SHUT_WR);
	channel_init(&l.channel, fds[1]);
	const enum asc_status s = link_receive(&l, m, e);

	channel_fini(&l.channel);
	close(fds[0]);
	close(fds[1]);
	return s;
}

static void test_finals(void)
{
	static const char *const wrong[] = {
		"{\"event\":\"finals\",\"of\":\"lunch\",\"done\":1,\"most\":2}\n",
		"{\"event\":\"finals\",\"of\":\"round\",\"done\":-1,\"most\":2}\n",
		"{\"event\":\"finals\",\"of\":\"round\",\"done\":3,\"most\":2}\n",
		"{\"event\":\"finals\",\"of\":\"round\",\"done\":0,\"most\":-9007199254740991}\n",
		"{\"event\":\"finals\",\"of\":\"round\",\"done\":1,\"most\":2,\"left_ns\":-1}\n",
		"{\"event\":\"finals\",\"of\":\"retake\",\"done\":9007199254740991,\"most\":1}\n",
	};
	struct link_message m;
	struct asc_err e;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		tap_int(hear(wrong[i], &m, &e), ASC_PROTOCOL, "refused: %s", e.text);
	tap_int(hear("{\"event\":\"finals\",\"of\":\"round\",\"done\":2,\"most\":32,"
		     "\"left_ns\":5000}\n",
		     &m, &e),
		ASC_OK, "progress of finals");
	tap_ok(m.event == LINK_FINALS && m.finals.step == FINALS_ROUND && m.finals.done == 2 &&
		       m.finals.most == 32 && m.finals.left_ns == 5000,
	       "is taken as it was sent");
}

int main(void)
{
	test_finals();
	return tap_done();
}
