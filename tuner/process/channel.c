#include "tuner/process/channel.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "tuner/base/json/json.h"
#include "tuner/base/units.h"

enum { RECEIVE_BYTES = 64 << 10 };
static const int64_t MS = 1000000;

void channel_init(struct channel *c, int fd)
{
	*c = (struct channel){.fd = fd};
}

void channel_fini(struct channel *c)
{
	buf_fini(&c->in);
	buf_fini(&c->out);
	channel_init(c, -1);
}

static enum asc_status fail_gone(struct asc_err *e)
{
	return asc_err_set(e, ASC_IO, "the other side closed the connection");
}

/* Waits for `events`, a signal, or the time to pass. timeout_ns -1: no limit. */
static enum asc_status channel_wait(const struct channel *c, short events, int64_t timeout_ns,
				    struct asc_err *e)
{
	struct pollfd fd = {.fd = c->fd, .events = events};
	struct timespec time = {timeout_ns / (1000 * MS), timeout_ns % (1000 * MS)};

	if (ppoll(&fd, 1, timeout_ns < 0 ? NULL : &time, NULL) < 0 && errno != EINTR)
		return asc_err_set(e, ASC_LIMIT, "cannot wait for a message: %s", strerror(errno));
	return ASC_OK;
}

/* ---- sending ---- */

enum asc_status channel_flush(struct channel *c, struct asc_err *e)
{
	/* MSG_NOSIGNAL: the end of the other side is an error here, not the end of this process. */
	const int flags = MSG_NOSIGNAL | (c->patient ? MSG_DONTWAIT : 0);
	size_t sent = 0;
	enum asc_status s = ASC_OK;

	while (!s && sent < c->out.len) {
		const ssize_t n = send(c->fd, c->out.data + sent, c->out.len - sent, flags);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno == EAGAIN && c->patient)
			break;
		else if (errno == EAGAIN)
			s = channel_wait(c, POLLOUT, -1, e);
		else if (errno == EPIPE || errno == ECONNRESET)
			s = fail_gone(e);
		else if (errno != EINTR)
			s = asc_err_set(e, ASC_LIMIT, "cannot send a message: %s", strerror(errno));
	}
	/* After a failure nothing is sent later: half a line would spoil the next one. */
	buf_drop(&c->out, 0, s ? c->out.len : sent);
	return s;
}

enum asc_status channel_send(struct channel *c, const struct buf *line, struct asc_err *e)
{
	if (buf_check(line, e))
		return e->status;
	buf_add(&c->out, line->data, line->len);
	buf_add_char(&c->out, '\n');
	return buf_check(&c->out, e) ? e->status : channel_flush(c, e);
}

/* ---- receiving ---- */

/* Takes the first whole line, if there is one. */
static enum asc_status take_line(struct channel *c, struct json_doc **out, struct asc_err *e)
{
	const char *newline = NULL;

	/* Bytes that had no newline before are not searched again: a line may come in many parts.
	 */
	if (c->in.len > c->scanned)
		newline = memchr(c->in.data + c->scanned, '\n', c->in.len - c->scanned);
	if (!newline) {
		c->scanned = c->in.len;
		/* A child may send without end: what it may take of memory is bounded. */
		if (c->in.len > CHANNEL_MAX_LINE)
			return asc_err_set(e, ASC_PROTOCOL, "a message exceeds %d bytes",
					   CHANNEL_MAX_LINE);
		return ASC_OK;
	}
	size_t n = (size_t)(newline - c->in.data);
	enum asc_status s = json_open_text("message", c->in.data, n, out, e);

	buf_drop(&c->in, 0, n + 1);
	c->scanned = 0;
	if (s && s != ASC_NOMEM)
		e->status = ASC_PROTOCOL;
	return s ? e->status : ASC_OK;
}

/* Adds what has arrived; *some is false when nothing has. */
static enum asc_status read_more(struct channel *c, bool *some, struct asc_err *e)
{
	char bytes[RECEIVE_BYTES];
	ssize_t n;

	do {
		n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	*some = n > 0;
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return fail_gone(e);
	if (n < 0 && errno != EAGAIN)
		return asc_err_set(e, ASC_LIMIT, "cannot receive a message: %s", strerror(errno));
	if (n > 0)
		buf_add(&c->in, bytes, (size_t)n);
	return buf_check(&c->in, e);
}

enum asc_status channel_receive(struct channel *c, int64_t timeout_ns, struct json_doc **out,
				struct asc_err *e)
{
	int64_t end = timeout_ns > 0 ? clock_now_ns() + timeout_ns : 0;

	*out = NULL;
	for (;;) {
		bool some;

		/* Lines that came before the end of the stream are taken before it is reported. */
		if (take_line(c, out, e))
			return e->status;
		if (*out)
			return ASC_OK;
		if (read_more(c, &some, e))
			return e->status;
		if (some)
			continue;
		int64_t left = timeout_ns < 0 ? -1 : end - clock_now_ns();
		if (timeout_ns >= 0 && left <= 0)
			return ASC_OK;
		if (channel_wait(c, POLLIN, left, e))
			return e->status;
	}
}

/* Takes the first line that is one of `lines` out of what has come. */
static bool take_one_of(struct channel *c, const char *const *lines, size_t *which)
{
	size_t begin = 0;

	for (const char *newline;
	     begin < c->in.len &&
	     (newline = memchr(c->in.data + begin, '\n', c->in.len - begin)) != NULL;
	     begin = (size_t)(newline - c->in.data) + 1) {
		const size_t n = (size_t)(newline - c->in.data) - begin;

		for (size_t i = 0; lines[i]; i++)
			if (strlen(lines[i]) == n && memcmp(c->in.data + begin, lines[i], n) == 0) {
				buf_drop(&c->in, begin, n + 1);
				c->scanned = 0;
				*which = i;
				return true;
			}
	}
	return false;
}

enum asc_status channel_await(struct channel *c, const char *const *lines, size_t *which,
			      struct asc_err *e)
{
	bool some;

	while (!take_one_of(c, lines, which))
		if (read_more(c, &some, e) || (!some && channel_wait(c, POLLIN, -1, e)))
			return e->status;
	return ASC_OK;
}
