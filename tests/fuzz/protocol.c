/* Any bytes as what one end of the worker protocol receives: as requests in a worker, and as
 * replies in the coordinator. No worker process is started and no kernel loaded: `load` needs a
 * problem, which needs a workload file named with the hash of its content.
 * covers: worker.c worker_link.c channel.c */
#include "tuner/process/channel.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fuzz/target.h"
#include "tuner/base/json/json.h"
#include "tuner/tune/evaluate/worker_link.h"
#include "tuner/worker/worker_verbs.h"

enum { MAX_BYTES = 32 << 10 }; /* what a socket takes at once */

/* fds[1] is at the end of the stream after `data`. */
static void make_stream(int fds[2], const uint8_t *data, size_t size)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		abort();
	if (size > 0 && send(fds[0], data, size, MSG_DONTWAIT) != (ssize_t)size)
		abort();
	(void)shutdown(fds[0], SHUT_WR);
}

static void drain(int fd)
{
	char bytes[4096];

	while (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
		;
}

/* Measuring takes long and proves nothing here. */
static enum asc_status no_peaks(struct device *d, enum dtype type, struct peaks *out,
				struct asc_err *e)
{
	(void)d, (void)e;
	*out = (struct peaks){0};
	peaks_add(out, PEAK_ARITHMETIC, dtype_name(type), 1e9, false);
	peaks_add(out, PEAK_MEMORY, "", 1e9, false);
	return ASC_OK;
}

static void serve(const uint8_t *data, size_t size)
{
	struct worker w = {0};
	struct device_ops ops;
	struct json_doc *doc;
	struct asc_err e;
	int fds[2];
	bool ended = false;

	make_stream(fds, data, size);
	channel_init(&w.channel, fds[1]);
	while (!ended && !w.harmed && !channel_receive(&w.channel, 0, &doc, &e) && doc) {
		ended = worker_answer(&w, json_root(doc), &e) != ASC_OK;
		json_close(doc);
		drain(fds[0]);
		if (w.ops && w.ops != &ops) {
			ops = *w.ops;
			ops.peaks = no_peaks;
			w.ops = &ops;
		}
	}
	worker_fini(&w);
	close(fds[0]);
	close(fds[1]);
}

static void hear(const uint8_t *data, size_t size)
{
	struct worker_link l = {0};
	struct link_message m;
	struct asc_err e;
	enum asc_status s;
	int fds[2];

	make_stream(fds, data, size);
	channel_init(&l.channel, fds[1]);
	do {
		s = link_receive(&l, &m, &e);
		if (s == ASC_OK && m.event == LINK_RESULT)
			result_fini(&m.result);
	} while (s != ASC_IO && s != ASC_NOMEM);
	channel_fini(&l.channel);
	close(fds[0]);
	close(fds[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size = size < MAX_BYTES ? size : MAX_BYTES;
	serve(data, size);
	hear(data, size);
	return 0;
}
