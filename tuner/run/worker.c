#include "tuner/run/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probes/probe.h"
#include "tuner/base/json.h"
#include "tuner/run/worker_reply.h"
#include "tuner/run/worker_verbs.h"

enum { HIGH_FD = 4000 }; /* beyond what kernels close when they close what is not theirs */

/* ---- serving ---- */

static const struct {
	const char *verb;
	bool answered; /* by "ready" or "failed" */
	worker_verb *serve;
} verbs[] = {
	{"hello", true, worker_hello},      {"open", true, worker_open},
	{"problem", true, worker_problem},  {"load", false, worker_load},
	{"measure", false, worker_measure}, {"drop", false, worker_drop},
	{"peaks", false, worker_peaks},
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
	return s ? reply_failed(&w->channel, name, e) : reply_ready(&w->channel, name, e);
}

static bool peer_is_gone(int fd)
{
	struct pollfd p = {.fd = fd, .events = 0};

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR));
}

/* Until the other side is gone, which is how it ends a worker. */
static enum asc_status serve_all(struct worker *w, struct asc_err *e)
{
	struct json_doc *doc;

	while (!w->harmed) {
		if (channel_receive(&w->channel, -1, &doc, e))
			return e->status == ASC_IO ? ASC_OK : e->status;
		enum asc_status s = worker_answer(w, json_root(doc), e);
		json_close(doc);
		if (residue_is_fork())
			_exit(0);
		if (s)
			return peer_is_gone(w->channel.fd) ? ASC_OK : s;
	}
	return ASC_OK;
}

/* ---- the process ---- */

/* Kernels may print to stdout and may close descriptors that they did not open: ours is moved where
 * they hardly reach. Crashes are ordinary here and leave no core files. */
static int shelter(int fd)
{
	const struct rlimit none = {0, 0};
	struct rlimit files;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)setrlimit(RLIMIT_CORE, &none);
	if (null >= 0) {
		(void)dup2(null, STDOUT_FILENO);
		close(null);
	}
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return fd;
	if (files.rlim_cur <= HIGH_FD + 64 && files.rlim_max > HIGH_FD + 64) {
		files.rlim_cur = HIGH_FD + 64;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	int lowest = files.rlim_cur > HIGH_FD ? HIGH_FD : (int)files.rlim_cur - 1;
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, lowest);
	if (moved < 0)
		return fd;
	close(fd);
	return moved;
}

void worker_fini(struct worker *w)
{
	incumbent_fini(&w->incumbent);
	for (struct worker_config *c; (c = w->configs) != NULL;) {
		w->configs = c->next;
		worker_config_free(c);
	}
	worker_problem_free(w->problem);
	for (size_t i = 0; w->probes[i].ops; i++)
		w->probes[i].ops->close(w->probes[i].probe);
	if (w->device)
		w->ops->close(w->device);
	rival_fini(&w->best);
	channel_fini(&w->channel);
}

enum asc_status worker_serve(int fd, struct asc_err *e)
{
	struct worker w = {0};

	if (fcntl(fd, F_GETFD) < 0)
		return asc_err_set(e, ASC_USAGE,
				   "a worker is started by asctune itself: descriptor %d is not "
				   "open",
				   fd);
	/* Not even a kernel that never returns outlives the coordinator. If that died before this
	 * call, its end of the channel is closed already. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (peer_is_gone(fd))
		return ASC_OK;
	fd = shelter(fd);
	channel_init(&w.channel, fd);
	residue_guard(fd);
	enum asc_status s = serve_all(&w, e);
	/* What was left behind may need the code that is to be unloaded, or hold on to the stream.
	 */
	if (!s && w.harmed) {
		(void)shutdown(fd, SHUT_RDWR);
		_exit(0);
	}
	worker_fini(&w);
	close(fd);
	return s;
}
