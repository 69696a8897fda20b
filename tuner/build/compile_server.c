/* The life of a compile server:
 *
 * 1. It is started for the first command of its toolchain, or ahead of it, is sent "hello" and
 *    works on commands once it has replied: nobody waits for its start.
 * 2. A command goes to an idle server of its toolchain and folder, whose sandbox reads what the
 *    command names; a place whose server nobody can use is given to a new one (choose).
 * 3. Its replies are received between other work; what it prints beside them is kept until the next
 *    command, for a reason that stands there alone.
 * 4. After COMPILE_SERVER_COMMANDS, a time limit or a failure it is killed, never asked to end.
 *
 * The other side (compile_serve) is the same for all programs that serve. */
#include "tuner/build/compile_server.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tuner/base/json/json.h"
#include "tuner/build/builder.h"
#include "tuner/process/sandbox.h"

enum { NICE = 5 };
enum { LARGEST_IN_HEAP = 32 << 20 /* the most that glibc takes */, MAX_WORDS = 65536 };

void compile_reply_fini(struct compile_reply *r)
{
	buf_fini(&r->log);
	buf_fini(&r->metadata);
	*r = (struct compile_reply){0};
}

/* ---- places ---- */

enum asc_status compile_servers_init(struct compile_servers *s, size_t n, struct asc_err *e)
{
	*s = (struct compile_servers){.list = calloc(n, sizeof *s->list), .n = n};
	return s->list ? ASC_OK : asc_err_nomem(e);
}

void compile_servers_fini(struct compile_servers *s)
{
	/* Servers end beside each other: the wait is for the slowest, not for all in turn. */
	for (size_t i = 0; s->list && i < s->n; i++)
		proc_signal_end(&s->list[i].proc);
	for (size_t i = 0; s->list && i < s->n; i++)
		compile_server_kill(&s->list[i]);
	free(s->list);
	build_places_fini(&s->places);
	*s = (struct compile_servers){0};
}

void compile_server_kill(struct compile_server *s)
{
	channel_fini(&s->channel);
	proc_kill(&s->proc);
	buf_fini(&s->words);
	free(s->toolchain);
	free(s->folder);
	*s = (struct compile_server){0};
}

void compile_server_release(struct compile_server *s)
{
	s->busy = false;
	if (s->commands >= COMPILE_SERVER_COMMANDS)
		compile_server_kill(s);
}

/* ---- asking ---- */

static enum asc_status ask(struct compile_server *s, const char *verb,
			   const struct build_command *c, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {.out = &line};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "do", verb);
	if (c) {
		json_write_begin(&w, "words", '[');
		for (size_t i = c->n_server; i < c->argc; i++)
			json_write_string(&w, NULL, c->argv[i]);
		json_write_end(&w, ']');
	}
	json_write_end(&w, '}');
	enum asc_status status = channel_send(&s->channel, &line, e);
	buf_fini(&line);
	return status;
}

static enum asc_status start(const struct compile_servers *all, struct compile_server *s,
			     const char *toolchain, const char *folder,
			     const struct build_command *c, struct asc_err *e)
{
	static const char *const variables[] = {"LC_ALL=C", NULL};
	const char *argv[BUILD_MAX_ARGV] = {0};

	for (size_t i = 0; i < c->n_server; i++)
		argv[i] = c->argv[i];
	const struct sandbox box = {.own = folder,
				    .reads = c->reads,
				    .named = (const char *const *)all->places.list,
				    .file_bytes = BUILD_FILE_BYTES};
	const struct proc_options o = {.argv = argv,
				       .variables = variables,
				       .capture = true,
				       .channel = true,
				       .sandbox = &box};
	compile_server_kill(s);
	s->toolchain = str_dup(toolchain);
	s->folder = str_dup(folder);
	/* A sandbox cannot be widened: a command that names more wants a new process. */
	s->n_places = all->places.n;
	s->grants = sandbox_grants();
	if (!s->toolchain || !s->folder)
		return asc_err_nomem(e);
	if (proc_start(&s->proc, &o, e))
		return e->status;
	channel_init(&s->channel, s->proc.channel);
	return ask(s, "hello", NULL, e);
}

enum asc_status compile_servers_warm(struct compile_servers *s, const char *toolchain,
				     const char *folder, const struct build_command *c, size_t most,
				     struct asc_err *e)
{
	size_t n = 0;

	if (build_places_add(&s->places, c, folder, e))
		return e->status;
	for (size_t i = 0; i < s->n && n < most && n < COMPILE_SERVERS_AHEAD; i++) {
		if (!s->list[i].proc.pid && start(s, &s->list[i], toolchain, folder, c, e))
			return e->status;
		n += strcmp(s->list[i].toolchain, toolchain) == 0;
	}
	return ASC_OK;
}

/* True for a process that may read all that commands have named so far. */
static bool reads_all(const struct compile_servers *all, const struct compile_server *s)
{
	return s->proc.pid && s->n_places == all->places.n && s->grants == sandbox_grants();
}

static bool fits(const struct compile_servers *all, const struct compile_server *s,
		 const char *toolchain, const char *folder)
{
	return reads_all(all, s) && strcmp(s->toolchain, toolchain) == 0 &&
	       strcmp(s->folder, folder) == 0;
}

/* Chooses an idle process that fits, else the place that costs least to give up. */
static struct compile_server *choose(const struct compile_servers *s, const char *toolchain,
				     const char *folder)
{
	struct compile_server *other = NULL;
	int least = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct compile_server *idle = &s->list[i];

		if (idle->busy)
			continue;
		if (fits(s, idle, toolchain, folder))
			return idle;
		/* From low to high: it is empty, it has a process that no command can use any more,
		 * or one of another toolchain, which may be wanted again. */
		const int cost = !idle->proc.pid ? 0 : !reads_all(s, idle) ? 1 : 2;

		if (!other || cost < least) {
			other = idle;
			least = cost;
		}
	}
	return other;
}

enum asc_status compile_servers_send(struct compile_servers *s, const char *toolchain,
				     const char *folder, const struct build_command *c,
				     struct compile_server **out, struct asc_err *e)
{
	*out = NULL;
	if (build_places_add(&s->places, c, folder, e))
		return e->status;
	struct compile_server *chosen = choose(s, toolchain, folder);
	enum asc_status status = ASC_OK;

	/* A process that has died meanwhile is replaced. */
	if (!fits(s, chosen, toolchain, folder) || proc_ended(&chosen->proc))
		status = start(s, chosen, toolchain, folder, c, e);
	buf_clear(&chosen->words);
	if (status == ASC_OK)
		status = ask(chosen, "compile", c, e);
	if (status) {
		compile_server_kill(chosen);
		return status;
	}
	chosen->commands++;
	chosen->busy = true;
	*out = chosen;
	return ASC_OK;
}

/* ---- receiving ---- */

struct message {
	const char *event, *outcome, *log, *status, *text;
	const struct json_node *metadata;
};

static enum asc_status take_compiled(const struct message *m, struct compile_reply *out,
				     struct asc_err *e)
{
	bool stated = m->metadata && json_type(m->metadata) != JSON_NULL;

	if (!artifact_outcome_parse(m->outcome, &out->outcome) || out->outcome == ARTIFACT_NONE)
		return asc_err_set(e, ASC_PROTOCOL, "the compiler's outcome is \"%s\"", m->outcome);
	if (stated && json_expect(m->metadata, JSON_OBJECT, e))
		return e->status;
	buf_add_str(&out->log, m->log);
	if (stated)
		json_write_node(&(struct json_writer){.out = &out->metadata}, NULL, m->metadata);
	return buf_check(&out->log, e) ? e->status : buf_check(&out->metadata, e);
}

static enum asc_status take_message(struct compile_server *s, const struct json_node *n,
				    struct compile_reply *out, bool *done, struct asc_err *e)
{
#define AT(member) offsetof(struct message, member)
	static const struct json_field fields[] = {
		{"event", JSON_AS_STRING, true, AT(event), NULL, NULL},
		{"outcome", JSON_AS_STRING, false, AT(outcome), NULL, NULL},
		{"log", JSON_AS_STRING, false, AT(log), NULL, NULL},
		{"metadata", JSON_AS_NODE, false, AT(metadata), NULL, NULL},
		{"status", JSON_AS_STRING, false, AT(status), NULL, NULL},
		{"text", JSON_AS_STRING, false, AT(text), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"reply", fields};
	static const enum asc_status troubles[] = {ASC_NOMEM, ASC_FULL, ASC_INPUT};
	struct message m = {.outcome = "", .log = "", .status = "", .text = ""};

	if (json_read_object(n, &spec, &m, e))
		return e->status;
	if (strcmp(m.event, "ready") == 0) {
		s->ready = true;
		return ASC_OK;
	}
	*done = true;
	if (strcmp(m.event, "compiled") == 0)
		return take_compiled(&m, out, e);
	/* Trouble of the machine. Any other word is the server's own: it counts as its end. */
	for (size_t i = 0; i < sizeof troubles / sizeof *troubles; i++)
		if (strcmp(m.status, asc_status_name(troubles[i])) == 0)
			return asc_err_set(e, troubles[i], "%s", m.text);
	return asc_err_set(e, ASC_CHILD, "%s", m.text);
}

enum asc_status compile_server_receive(struct compile_server *s, struct compile_reply *out,
				       bool *done, struct asc_err *e)
{
	struct json_doc *doc;
	enum asc_status status = ASC_OK;

	*done = false;
	proc_collect(&s->proc, MAX_WORDS, &s->words);
	while (!*done && status == ASC_OK) {
		if (channel_receive(&s->channel, 0, &doc, e))
			return e->status;
		if (!doc)
			break;
		status = take_message(s, json_root(doc), out, done, e);
		json_close(doc);
	}
	if (*done) /* what the command has printed before its reply is there by now */
		proc_collect(&s->proc, MAX_WORDS, &s->words);
	return status;
}

/* ---- serving ---- */

static void print_reply(const struct compile_reply *r, struct buf *out)
{
	struct json_writer w = {.out = out};
	struct buf log = {0};

	buf_add(&log, r->log.data,
		r->log.len < COMPILE_SERVER_LOG_BYTES ? r->log.len : COMPILE_SERVER_LOG_BYTES);
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "event", "compiled");
	json_write_string(&w, "outcome", artifact_outcome_name(r->outcome));
	json_write_string(&w, "log", buf_str(&log));
	buf_print(out, ",\"metadata\":%s", r->metadata.len ? buf_str(&r->metadata) : "null");
	json_write_end(&w, '}');
	out->failed |= log.failed || r->log.failed || r->metadata.failed;
	buf_fini(&log);
}

static void compile(const struct compile_service *service, const struct json_node *words,
		    struct buf *out)
{
	const char *list[BUILD_MAX_ARGV];
	struct compile_reply r = {0};
	struct asc_err e = {0};
	size_t n = 0;

	for (const struct json_node *w = words ? json_first(words) : NULL; w && n < BUILD_MAX_ARGV;
	     w = json_next(w))
		if (json_get_string(w, &list[n], &e) == ASC_OK)
			n++;
	enum asc_status status = e.status ? e.status : service->compile(list, n, &r, &e);
	if (status == ASC_NOMEM || status == ASC_FULL) {
		struct json_writer w = {.out = out};

		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "event", "failed");
		json_write_string(&w, "status", asc_status_name(e.status));
		json_write_string(&w, "text", e.text);
		json_write_end(&w, '}');
	} else {
		/* Any other failure is a refusal, its text the last line of the log. */
		if (status) {
			r.outcome = ARTIFACT_REFUSED;
			buf_print(&r.log, "%s\n", e.text);
		}
		print_reply(&r, out);
	}
	compile_reply_fini(&r);
}

static bool answer(const struct compile_service *service, struct channel *c,
		   const struct json_node *request)
{
	const struct json_node *words = json_find(request, "words");
	struct buf line = {0};
	struct asc_err e;

	if (words) {
		compile(service, words, &line);
	} else {
		service->open();
		buf_add_str(&line, "{\"event\":\"ready\"}");
	}
	bool ok = channel_send(c, &line, &e) == ASC_OK;
	buf_fini(&line);
	return ok;
}

bool compile_serve(const struct compile_service *service)
{
	struct channel c;
	struct json_doc *doc;
	struct asc_err e;
	bool ok = true;

	/* A worker that sets up its problem, for which everything waits, goes before compilers. */
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	/* Memory is kept for the next command: the system time for getting it anew halves. */
	(void)mallopt(M_TRIM_THRESHOLD, INT_MAX);
	(void)mallopt(M_MMAP_THRESHOLD, LARGEST_IN_HEAP);
	channel_init(&c, CHANNEL_FD);
	while (ok && channel_receive(&c, -1, &doc, &e) == ASC_OK) {
		ok = answer(service, &c, json_root(doc));
		json_close(doc);
	}
	ok = ok && e.status == ASC_IO; /* the channel was closed */
	channel_fini(&c);
	return ok;
}
