/* Replies that a worker sends when a kernel has written over its memory: JSON, but nothing that a
 * worker says.
 * covers: worker_link.c */
#include "tuner/tune/evaluate/worker_link.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"

/* Reads one line as the coordinator does of a worker in that state. */
static enum asc_status hear_of(struct worker_link l, const char *line, struct link_message *m,
			       struct asc_err *e)
{
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

/* The same of a worker that has set its problem up. */
static enum asc_status hear(const char *line, struct link_message *m, struct asc_err *e)
{
	return hear_of((struct worker_link){.asked = true, .ready = true}, line, m, e);
}

/* What comes at the wrong time is no message: a kernel has sent it. */
static void test_turns(void)
{
	static const struct {
		const char *what, *line;
		bool asked, ready, peaks;
		enum asc_status status;
	} lines[] = {
		{"peaks that nobody asked for", "{\"event\":\"peaks\",\"id\":1,\"rows\":[]}\n",
		 true, true, false, ASC_PROTOCOL},
		{"peaks that were asked for", "{\"event\":\"peaks\",\"rows\":[]}\n", false, false,
		 true, ASC_OK},
		{"a device that opens while a kernel runs",
		 "{\"event\":\"ready\",\"of\":\"device\"}\n", true, true, false, ASC_PROTOCOL},
		{"a problem that is set up twice", "{\"event\":\"ready\",\"of\":\"problem\"}\n",
		 true, true, false, ASC_PROTOCOL},
		{"a problem that was not sent", "{\"event\":\"ready\",\"of\":\"problem\"}\n", false,
		 false, false, ASC_PROTOCOL},
		{"a problem that is set up", "{\"event\":\"ready\",\"of\":\"problem\"}\n", true,
		 false, false, ASC_OK},
		{"other inputs that are put, later", "{\"event\":\"doing\",\"what\":\"x\"}\n", true,
		 true, false, ASC_OK},
		{"a note on the problem, later", "{\"event\":\"note\",\"text\":\"x\"}\n", true,
		 true, false, ASC_PROTOCOL},
		{"a sign of life of the set-up", "{\"event\":\"doing\",\"what\":\"x\"}\n", true,
		 false, false, ASC_OK},
		{"a phase before there is a problem",
		 "{\"event\":\"phase\",\"id\":1,\"phase\":\"load\",\"at\":\"1\"}\n", true, false,
		 false, ASC_PROTOCOL},
		{"a result before there is a problem",
		 "{\"event\":\"result\",\"id\":1,\"at\":\"1\",\"status\":\"ok\",\"phase\":"
		 "\"measure\"}"
		 "\n",
		 true, false, false, ASC_PROTOCOL},
		{"a metric whose name is too long",
		 "{\"event\":\"result\",\"id\":1,\"at\":\"1\",\"status\":\"ok\",\"phase\":"
		 "\"measure\","
		 "\"metrics\":[{"
		 "\"probe\":\"a_probe_whose_name_is_longer_than_any_that_there_is_of_a_probe_and_"
		 "far_beyond_it\","
		 "\"name\":\"a\",\"value\":1,\"unit\":\"\"}]}\n",
		 true, true, false, ASC_PROTOCOL},
		{"no JSON", "{\"event\":\n", true, true, false, ASC_PROTOCOL},
	};
	struct link_message m;
	struct asc_err e;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		/* What no event sets is empty, whatever the storage held. */
		memset(&m, 0x41, sizeof m);
		const struct worker_link l = {.asked = lines[i].asked,
					      .ready = lines[i].ready,
					      .peaks_asked = lines[i].peaks};

		tap_int(hear_of(l, lines[i].line, &m, &e), lines[i].status, "%s: %s", lines[i].what,
			lines[i].status ? e.text : "taken");
		tap_ok(!m.result.reason && !m.result.samples && !m.result.metrics,
		       "%s: no result of it", lines[i].what);
	}
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
	test_turns();
	test_finals();
	return tap_done();
}
