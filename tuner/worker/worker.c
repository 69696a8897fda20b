
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probes/metrics/metric_book.h"
#include "probes/probe.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/device/cpu/cpu_fault.h"
#include "tuner/process/orphans.h"
#include "tuner/process/thread.h"
#include "tuner/worker/incumbent_check.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/worker_verbs.h"

enum { ENDING_SECONDS = 2 /* time that a worker has to end by itself */ };

/* ---- serving ---- */

static const struct {
	const char *verb;
	bool answered; /* answered by "ready" or "failed" */
	worker_verb *serve;
} verbs[] = {
	{"hello", true, worker_hello},      {"open", true, worker_open},
	{"problem", true, worker_problem},  {"incumbent", false, worker_incumbent},
	{"load", false, worker_load},       {"measure", false, worker_measure},
	{"drop", false, worker_drop},       {"peaks", false, worker_peaks},
	{"profile", false, worker_profile},
};

enum asc_status worker_answer(struct worker *w, const struct json_node *request, struct asc_err *e)
{
	const struct json_node *verb = json_find(request, "do");
	const char *name = "";
	size_t i = 0;

	if (!verb || json_get_string(verb, &name, e))
		return asc_err_set(e, ASC_PROTOCOL, "a request without \"do\"");
	while (i < sizeof verbs / sizeof *verbs && strcmp(verbs[i].verb, name) != 0)
		i++;
	if (i == sizeof verbs / sizeof *verbs)
		return asc_err_set(e, ASC_PROTOCOL, "unknown request \"%s\"", name);
	enum asc_status s = verbs[i].serve(w, request, e);
	if (!verbs[i].answered)
		return s;
	const bool sets_up = strcmp(name, "problem") == 0 && w->problem;

	return s ? reply_failed(&w->channel, name, e)
		 : reply_ready(&w->channel, name, sets_up ? w->problem->n_sets : 0, e);
}

static bool peer_is_gone(int fd)
{
	struct pollfd p = {.fd = fd, .events = 0};

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR));
}

/* ---- the process ---- */

/* Keeps kernels from the channel: they may print to stdout. Crashes are ordinary here and leave no
 * core files. */
static int shelter(int fd)
{
	const struct rlimit none = {0, 0};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)setrlimit(RLIMIT_CORE, &none);
	if (null >= 0) {
		(void)dup2(null, STDOUT_FILENO);
		close(null);
	}
	return file_raise(fd);
}

void worker_fini(struct worker *w)
{
	incumbent_check_fini(&w->race.incumbent);
	for (struct worker_config *c; (c = w->configs) != NULL;) {
		w->configs = c->next;
		worker_config_free(c);
	}
	worker_problem_free(w->problem);
	for (size_t i = 0; w->race.probes[i].ops; i++)
		w->race.probes[i].ops->close(w->race.probes[i].probe);
	for (size_t i = 0; w->replaying[i].ops; i++)
		if (w->replaying[i].probe)
			w->replaying[i].ops->close(w->replaying[i].probe);
	metric_book_free(w->book);
	if (w->opening)
		(void)pthread_join(w->opener, NULL);
	if (w->device)
		w->ops->close(w->device);
	incumbent_fini(&w->race.best);
	channel_fini(&w->channel);
}

/* Ends this process and its group soon after the coordinator, even inside a kernel that never
 * returns and has lost the signal of the parent's end, as a change of the user does. */
static void *end_with_peer(void *user)
{
	struct pollfd peer = {.fd = ((const struct channel *)user)->fd};

	while (poll(&peer, 1, -1) < 0 && errno == EINTR)
		;
	(void)sleep(ENDING_SECONDS);
	orphans_end();
	(void)kill(-getpid(), SIGKILL);
	(void)kill(getpid(), SIGKILL);
	return NULL;
}

/* The life of a worker. Before the first request: kernels are kept from the channel and from the
 * terminal; a thread waits for the coordinator's end; crashes of kernels are caught; forks of
 * kernels are found. Then requests are served in order until the stream ends, or until a kernel has
 * harmed this process: its memory is not trusted any more, so it exits after the result, and the
 * coordinator starts another one. */
enum asc_status worker_serve(int fd, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	struct worker w = {0};
	struct json_doc *doc;
	pthread_t watcher;

	if (fcntl(fd, F_GETFD) < 0)
		return asc_err_set(e, ASC_USAGE,
				   "a worker is started by asctune itself: descriptor %d is not "
				   "open",
				   fd);
	if (peer_is_gone(fd))
		return ASC_OK;
	fd = shelter(fd);
	channel_init(&w.channel, fd);
	if (thread_start(&watcher, NULL, end_with_peer, &w.channel) == 0)
		(void)pthread_detach(watcher);
	cpu_fault_begin();
	residue_guard(fd);
	while (!s && !w.harmed) {
		if (channel_receive(&w.channel, -1, &doc, e)) {
			s = e->status == ASC_IO ? ASC_OK : e->status; /* ASC_IO: it has ended */
			break;
		}
		s = worker_answer(&w, json_root(doc), e);
		json_close(doc);
		/* A kernel has forked, and both processes returned from it: only one may answer. */
		if (residue_is_fork())
			_exit(0);
		if (s && peer_is_gone(fd)) { /* nobody waits for an answer any more */
			s = ASC_OK;
			break;
		}
	}
	/* Exits at once: threads left behind may need code that would be unloaded, or hold on to
	 * the stream. */
	if (!s && w.harmed) {
		orphans_end();
		(void)shutdown(fd, SHUT_RDWR);
		_exit(0);
	}
	worker_fini(&w);
	close(fd);
	return s;
}
