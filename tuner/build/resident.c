#include "tuner/build/resident.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"

enum { CHUNK_BYTES = 4096, LARGEST_IN_HEAP = 32 << 20 /* the most that glibc takes */ };

struct resident {
	const struct builder_ops *ops;
	struct proc proc;  /* pid 0: the place is free */
	unsigned commands; /* that this place has seen: its process is no older */
};

enum asc_status residents_init(struct residents *r, size_t n, struct asc_err *e)
{
	*r = (struct residents){.list = calloc(n, sizeof *r->list), .n = n};
	return r->list ? ASC_OK : asc_err_nomem(e);
}

void residents_fini(struct residents *r)
{
	for (size_t i = 0; r->list && i < r->n; i++)
		proc_kill(&r->list[i].proc);
	free(r->list);
	*r = (struct residents){0};
}

/* ---- asking ---- */

static bool send_all(int fd, const char *data, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, data, n, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		data += sent;
		n -= (size_t)sent;
	}
	return true;
}

static enum asc_status ask(const struct proc *p, const struct build_command *c, struct asc_err *e)
{
	struct buf words = {0};

	for (size_t i = c->n_resident; i < c->argc; i++)
		buf_add(&words, c->argv[i], strlen(c->argv[i]) + 1);
	buf_add_char(&words, '\0');
	enum asc_status s = buf_check(&words, e);
	if (s == ASC_OK && !send_all(p->channel, buf_str(&words), words.len))
		s = asc_err_set(e, ASC_CHILD, "the compiler does not listen: %s", strerror(errno));
	buf_fini(&words);
	return s;
}

static enum asc_status start(const struct build_command *c, struct proc *p, struct asc_err *e)
{
	static const char *const variables[] = {"LC_ALL=C", NULL};
	const char *argv[BUILD_MAX_ARGV] = {0};

	for (size_t i = 0; i < c->n_resident; i++)
		argv[i] = c->argv[i];
	const struct proc_options o = {
		.argv = argv, .variables = variables, .capture = true, .channel = true};
	return proc_start(p, &o, e);
}

enum asc_status residents_start(struct residents *r, const struct builder_ops *ops,
				const struct build_command *command, struct proc *p,
				struct asc_err *e)
{
	for (size_t i = 0; i < r->n; i++) {
		struct resident *idle = &r->list[i];
		if (!idle->proc.pid || idle->ops != ops)
			continue;
		*p = idle->proc;
		idle->proc = (struct proc){.output = -1, .channel = -1};
		/* One that has died meanwhile is replaced. */
		if (!proc_ended(p) && ask(p, command, e) == ASC_OK)
			return ASC_OK;
		proc_kill(p);
	}
	if (start(command, p, e))
		return e->status;
	return ask(p, command, e);
}

void residents_put(struct residents *r, const struct builder_ops *ops, struct proc *p)
{
	size_t i = 0;

	while (i < r->n && r->list[i].proc.pid)
		i++;
	if (i == r->n || ++r->list[i].commands > RESIDENT_COMMANDS) {
		if (i < r->n)
			r->list[i].commands = 0;
		proc_kill(p);
		return;
	}
	r->list[i].ops = ops;
	r->list[i].proc = *p;
	*p = (struct proc){.output = -1, .channel = -1};
}

bool resident_answered(struct buf *words, int *status)
{
	if (words->len < 2 || words->data[words->len - 2] != '\0')
		return false;
	*status = W_EXITCODE(words->data[words->len - 1] - '0', 0);
	words->len -= 2;
	return true;
}

/* ---- serving ---- */

/* Splits the words that stand in `text`; how many. */
static size_t split(const char *text, const char *words[BUILD_MAX_ARGV])
{
	size_t n = 0;

	for (; *text && n < BUILD_MAX_ARGV; text += strlen(text) + 1)
		words[n++] = text;
	return n;
}

static bool answer(resident_run_fn *run, const char *text)
{
	const char *words[BUILD_MAX_ARGV];
	struct buf log = {0};
	int status = run(words, split(text, words), &log);
	const char end[] = {'\0', (char)('0' + status)};
	size_t n = log.len < RESIDENT_LOG_BYTES ? log.len : RESIDENT_LOG_BYTES;
	bool ok = file_write_all(STDERR_FILENO, buf_str(&log), n) &&
		  file_write_all(STDERR_FILENO, end, sizeof end);

	buf_fini(&log);
	return ok;
}

/* A command has come when an empty word has. */
static bool is_whole(const struct buf *b)
{
	return b->len >= 2 && b->data[b->len - 1] == '\0' && b->data[b->len - 2] == '\0';
}

/* Memory is kept for the next command: the system time for getting it anew halves. */
bool resident_serve(resident_run_fn *run)
{
	struct buf command = {0};
	char chunk[CHUNK_BYTES];
	bool ok = true;

	(void)mallopt(M_TRIM_THRESHOLD, INT_MAX);
	(void)mallopt(M_MMAP_THRESHOLD, LARGEST_IN_HEAP);
	while (ok) {
		ssize_t n = read(RESIDENT_FD, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			ok = n == 0;
			break;
		}
		buf_add(&command, chunk, (size_t)n);
		if (!is_whole(&command))
			continue;
		ok = answer(run, buf_str(&command));
		buf_clear(&command);
	}
	buf_fini(&command);
	return ok;
}
