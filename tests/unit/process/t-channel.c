/* Messages between processes: whole, in parts, too long, and nonsense.
 * covers: channel.c */
#include "tuner/process/channel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"

struct pair {
	int fd[2];
	struct channel here, there;
};

static void pair_open(struct pair *p)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, p->fd) != 0)
		abort();
	channel_init(&p->here, p->fd[0]);
	channel_init(&p->there, p->fd[1]);
}

static void pair_close(struct pair *p)
{
	channel_fini(&p->here);
	channel_fini(&p->there);
	for (int i = 0; i < 2; i++)
		if (p->fd[i] >= 0)
			close(p->fd[i]);
}

static void send_text(struct channel *c, const char *text)
{
	struct buf line = {0};
	struct asc_err e;

	buf_add_str(&line, text);
	tap_int(channel_send(c, &line, &e), ASC_OK, "sent %.20s", text);
	buf_fini(&line);
}

static int64_t receive_number(struct channel *c)
{
	struct json_doc *doc = NULL;
	struct asc_err e;
	int64_t n = -1;

	if (channel_receive(c, 1000000000, &doc, &e) || !doc)
		return -1;
	if (json_get_int(json_find(json_root(doc), "n"), &n, &e))
		n = -2;
	json_close(doc);
	return n;
}

static void test_lines(void)
{
	struct pair p;
	struct json_doc *doc;
	struct asc_err e;

	pair_open(&p);
	send_text(&p.here, "{\"n\":1}\n{\"n\":2}");
	send_text(&p.here, "{\"n\":3}");
	tap_int(receive_number(&p.there), 1, "first of two lines sent at once");
	tap_int(receive_number(&p.there), 2, "second");
	tap_int(receive_number(&p.there), 3, "third");
	tap_int(channel_receive(&p.there, 0, &doc, &e), ASC_OK, "nothing there is no error");
	tap_ok(doc == NULL, "and no document");
	int64_t start = clock_now_ns();
	tap_int(channel_receive(&p.there, 20000000, &doc, &e), ASC_OK, "waits for a while");
	tap_ok(!doc && clock_now_ns() - start >= 20000000, "as long as it was told");
	pair_close(&p);
}

static void test_await(void)
{
	static const char *const lines[] = {"{\"n\":4}", "{\"n\":2}", NULL};
	struct pair p;
	struct asc_err e;
	size_t which = 9;

	pair_open(&p);
	send_text(&p.here, "{\"n\":1}\n{\"n\":24}\n{\"n\":2}\n{\"n\":3}\n{\"n\"");
	tap_int(channel_await(&p.there, lines, &which, &e), ASC_OK, "a line behind others");
	tap_int(which, 1, "is the one that was found");
	tap_int(receive_number(&p.there), 1, "those before it stay");
	tap_int(receive_number(&p.there), 24, "those that only begin like it, too");
	tap_int(receive_number(&p.there), 3, "and those behind it");
	close(p.fd[0]);
	p.fd[0] = -1;
	tap_int(channel_await(&p.there, lines, &which, &e), ASC_IO, "none comes any more");
	pair_close(&p);
}

static void test_parts(void)
{
	struct pair p;
	struct json_doc *doc;
	struct asc_err e;

	pair_open(&p);
	for (const char *c = "{\"n\": 12"; *c; c++) {
		if (write(p.fd[0], c, 1) != 1)
			abort();
		if (channel_receive(&p.there, 0, &doc, &e) || doc)
			tap_ok(false, "took a part of a line");
	}
	send_text(&p.here, "34}");
	tap_int(receive_number(&p.there), 1234, "a line that came in parts");
	pair_close(&p);
}

static void test_end(void)
{
	struct pair p;
	struct json_doc *doc;
	struct asc_err e;

	pair_open(&p);
	send_text(&p.here, "{\"n\":1}");
	close(p.fd[0]);
	p.fd[0] = -1;
	tap_int(receive_number(&p.there), 1, "last words are heard");
	tap_int(channel_receive(&p.there, -1, &doc, &e), ASC_IO, "then the stream ends");
	struct buf line = {0};
	buf_add_str(&line, "{}");
	tap_int(channel_send(&p.there, &line, &e), ASC_IO,
		"sending to nobody fails, without SIGPIPE");
	buf_fini(&line);
	pair_close(&p);
}

static void test_nonsense(void)
{
	struct pair p;
	struct json_doc *doc;
	struct asc_err e;

	pair_open(&p);
	send_text(&p.here, "kernels print such things");
	tap_int(channel_receive(&p.there, -1, &doc, &e), ASC_PROTOCOL, "a line that is not JSON");
	tap_has(e.text, "message", "is named");
	send_text(&p.here, "{\"n\":5}");
	tap_int(receive_number(&p.there), 5, "and passed over");
	pair_close(&p);
}

static void *drain(void *user)
{
	struct channel *c = user;
	struct json_doc *doc = NULL;
	struct asc_err e;
	static int64_t members;

	if (channel_receive(c, 10000000000, &doc, &e) == ASC_OK && doc)
		members = (int64_t)json_count(json_root(doc));
	json_close(doc);
	return &members;
}

static void test_large(void)
{
	enum { MEMBERS = 200000 };
	struct pair p;
	struct buf line = {0};
	struct asc_err e;
	pthread_t thread;
	void *members;

	pair_open(&p);
	buf_add_char(&line, '[');
	for (int i = 0; i < MEMBERS; i++)
		buf_print(&line, "%s%d", i ? "," : "", i);
	buf_add_char(&line, ']');
	if (pthread_create(&thread, NULL, drain, &p.there) != 0)
		abort();
	tap_int(channel_send(&p.here, &line, &e), ASC_OK, "%zu bytes are sent whole", line.len);
	pthread_join(thread, &members);
	tap_int(*(int64_t *)members, MEMBERS, "and received whole");
	buf_fini(&line);
	pair_close(&p);
}

/* Both send more than the stream holds, and nobody reads meanwhile. */
static void test_patient(void)
{
	enum { MESSAGES = 2000, BYTES = 1000 };
	struct pair p;
	struct buf line = {0};
	struct asc_err e;
	int64_t sum = 0;
	enum asc_status s = ASC_OK;

	pair_open(&p);
	p.here.patient = p.there.patient = true;
	for (int i = 0; i < MESSAGES && !s; i++) {
		buf_clear(&line);
		buf_print(&line, "{\"n\":%d,\"words\":\"%0*d\"}", i, BYTES, 0);
		s = channel_send(&p.here, &line, &e);
		if (!s)
			s = channel_send(&p.there, &line, &e);
	}
	tap_int(s, ASC_OK, "what does not go at once is kept");
	tap_ok(p.here.out.len > 0 && p.there.out.len > 0, "%zu bytes of it", p.here.out.len);
	for (int i = 0; i < MESSAGES && !s; i++) {
		sum += receive_number(&p.there) - receive_number(&p.here);
		s = channel_flush(&p.here, &e);
		if (!s)
			s = channel_flush(&p.there, &e);
	}
	tap_int(sum, 0, "both have had the same");
	tap_int(p.here.out.len + p.there.out.len, 0, "and all of it");
	close(p.fd[1]);
	p.fd[1] = -1;
	tap_int(channel_send(&p.here, &line, &e), ASC_IO, "one that is gone is noticed");
	tap_int(p.here.out.len, 0, "and nothing is kept for it");
	buf_fini(&line);
	pair_close(&p);
}

static void *write_endlessly(void *user)
{
	static char bytes[1 << 16];
	const int *fd = user;

	memset(bytes, 'x', sizeof bytes);
	while (send(*fd, bytes, sizeof bytes, MSG_NOSIGNAL) > 0)
		;
	return NULL;
}

static void test_too_long(void)
{
	struct pair p;
	struct json_doc *doc;
	struct asc_err e;
	pthread_t thread;

	pair_open(&p);
	if (pthread_create(&thread, NULL, write_endlessly, &p.fd[0]) != 0)
		abort();
	tap_int(channel_receive(&p.there, -1, &doc, &e), ASC_PROTOCOL, "a line without an end");
	shutdown(p.fd[1], SHUT_RDWR);
	pthread_join(thread, NULL);
	pair_close(&p);
}

int main(void)
{
	test_lines();
	test_await();
	test_parts();
	test_end();
	test_nonsense();
	test_large();
	test_patient();
	test_too_long();
	return tap_done();
}
