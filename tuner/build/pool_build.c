#include "tuner/build/pool_build.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/build/build_places.h"
#include "tuner/build/manifest.h"
#include "tuner/build/outcome.h"
#include "tuner/process/sandbox.h"
#include "tuner/workload/sources/sources.h"

#define START_LIMIT_NS INT64_C(60000000000) /* for a compile server to be ready */
#define END_LIMIT_NS   INT64_C(200000000)   /* for one that has closed its channel */

/* ---- starting ---- */

enum asc_status build_key(const struct builder_ops *ops, const struct build_request *r,
			  char key[HASH_TEXT_SIZE], struct asc_err *e)
{
	struct hash h;

	hash_init(&h);
	hash_add_str(&h, ops->name);
	builder_hash(ops, r, &h);
	/* A stranger's file that runs while it is built says what it likes of itself: its key is
	 * of its bytes, too, and is nobody else's. */
	if (r->within && ops->server) {
		hash_add_str(&h, "untrusted");
		sources_hash(r->source, (const char *const *)r->flags, &h);
	}
	return hash_end(&h, key, e);
}

struct build *build_new(const char *key, const struct builder_ops *ops, struct build_request *r)
{
	struct build *b = calloc(1, sizeof *b);

	if (!b)
		return NULL;
	memcpy(b->key, key, sizeof b->key);
	b->ops = ops;
	b->weight = ops->weight ? ops->weight(r) : 0;
	b->request = *r;
	*r = (struct build_request){0};
	return b;
}

void build_reset(struct build *b)
{
	proc_kill(&b->proc);
	if (b->server)
		compile_server_kill(b->server);
	b->server = NULL;
	/* Once nothing writes there. */
	cache_drop_scratch(b->scratch);
	free(b->scratch);
	free(b->output);
	b->scratch = b->output = NULL;
	cache_entry_fini(&b->entry);
	b->failure = (struct asc_err){0};
}

void build_free(struct build *b)
{
	if (!b)
		return;
	build_reset(b);
	build_request_fini(&b->request);
	free(b);
}

const struct proc *build_proc(const struct build *b)
{
	return b->server ? &b->server->proc : &b->proc;
}

pid_t build_pid(const struct build *b)
{
	return build_proc(b)->pid;
}

/* Fails when the compiler has read a file that the request does not allow. */
static enum asc_status check_confined(const struct build *b, const char *files, struct asc_err *e)
{
	struct buf folders = {0};
	char *folder;
	enum asc_status s = ASC_OK;

	if (!b->request.within)
		return ASC_OK;
	folder = path_folder(b->request.source);
	if (!folder)
		return asc_err_nomem(e);
	if (b->ops->folders)
		s = b->ops->folders(&folders, e);
	if (s == ASC_OK)
		s = manifest_check_within(files, folder, b->request.within, buf_str(&folders), e);
	free(folder);
	buf_fini(&folders);
	return s;
}

/* True when every file that the compiler read for the artifact is the same, and allowed; or there
 * is no list of them. */
static bool is_current(const struct build *b, const struct cache *c)
{
	struct buf files = {0};
	struct asc_err e;

	char *folder = path_folder(b->request.source);

	cache_read_files(c, b->key, &files);
	bool current = folder && manifest_holds(buf_str(&files), folder) &&
		       check_confined(b, buf_str(&files), &e) == ASC_OK;
	if (!current)
		log_print(LOG_DEBUG, "the list of files of %s does not hold", b->key);
	buf_fini(&files);
	free(folder);
	return current;
}

bool build_recall(struct build *b, const struct cache *c)
{
	cache_find(c, b->key, b->ops->suffix, &b->entry);
	/* The key covers the includes that can be found without a compiler; headers that it alone
	 * finds are in the list. */
	if (b->entry.outcome == ARTIFACT_BUILT && !is_current(b, c))
		cache_entry_fini(&b->entry);
	b->cached = b->entry.outcome != ARTIFACT_NONE;
	return b->cached;
}

static enum asc_status start_command(struct build *b, const struct build_command *c,
				     int64_t limit_ns, struct asc_err *e)
{
	/* A `char **` does not convert to `const char *const *` by itself, in C. */
	const char *argv[BUILD_MAX_ARGV] = {0};
	struct build_places places = {0};

	if (build_places_add(&places, c, b->scratch, e)) {
		build_places_fini(&places);
		return e->status;
	}
	for (size_t i = 0; i < c->argc; i++)
		argv[i] = c->argv[i];
	/* Messages are in the language that build/outcome reads; a compiler's own cache would be
	 * another folder to write. */
	static const char *const variables[] = {"LC_ALL=C", "CCACHE_DISABLE=1", NULL};
	const struct sandbox box = {.own = b->scratch,
				    .named = (const char *const *)places.list,
				    .limit_ns = limit_ns,
				    .file_bytes = BUILD_FILE_BYTES};
	const struct proc_options o = {
		.argv = argv, .variables = variables, .capture = true, .sandbox = &box};
	enum asc_status s = proc_start(&b->proc, &o, e);
	build_places_fini(&places);
	return s;
}

enum asc_status build_server_toolchain(const struct builder_ops *ops, const struct build_command *c,
				       struct buf *out, struct asc_err *e)
{
	buf_print(out, "%s %s ", ops->name, c->argv[0]);
	return ops->toolchain(out, e);
}

static enum asc_status send_command(struct build *b, struct cache *cache,
				    struct compile_servers *servers, const struct build_command *c,
				    struct asc_err *e)
{
	struct buf toolchain = {0};
	const char *root;
	enum asc_status s = build_server_toolchain(b->ops, c, &toolchain, e);

	/* Of a process that compiles for a stranger nothing is left for the next command. */
	if (s == ASC_OK && b->request.within)
		root = b->scratch;
	else if (s == ASC_OK)
		s = cache_scratch_root(cache, &root, e);
	if (s == ASC_OK)
		s = compile_servers_send(servers, buf_str(&toolchain), root, c, &b->server, e);
	buf_fini(&toolchain);
	return s;
}

enum asc_status build_start(struct build *b, struct cache *c, struct compile_servers *servers,
			    int64_t limit_ns)
{
	struct asc_err *e = &b->failure;
	struct build_command command;

	/* Counted before anything can fail: a disk that is full is a try too. */
	b->tries++;
	build_command_init(&command);
	enum asc_status s = cache_scratch(c, &b->scratch, e);
	if (s == ASC_OK) {
		b->output = str_print("%s/artifact%s", b->scratch, b->ops->suffix);
		s = b->output ? ASC_OK : asc_err_nomem(e);
	}
	if (s == ASC_OK) {
		b->ops->command(&b->request, b->scratch, b->output, &command);
		s = build_command_check(&command, e);
	}
	if (s == ASC_OK && command.input) {
		char *path = path_join(b->scratch, command.input_name);

		s = path ? file_write(path, command.input, strlen(command.input), e)
			 : asc_err_nomem(e);
		free(path);
	}
	/* The steps so far are no time of the compiler. */
	b->start_ns = clock_now_ns();
	b->rule_name = command.rule_name;
	if (s == ASC_OK)
		s = command.n_server > 0 ? send_command(b, c, servers, &command, e)
					 : start_command(b, &command, limit_ns, e);
	build_command_fini(&command);
	return s;
}

/* ---- ending ---- */

static enum asc_status list_files(struct build *b, struct asc_err *e)
{
	struct buf rule = {0};
	char *path = b->rule_name ? path_join(b->scratch, b->rule_name) : NULL;
	char *folder = path_folder(b->request.source);
	enum asc_status s = folder && (path || !b->rule_name) ? ASC_OK : asc_err_nomem(e);

	/* The key alone guards an artifact whose compiler wrote no list. */
	if (path && file_exists(path))
		s = file_read(path, 0, &rule, e);
	if (s == ASC_OK)
		s = manifest_print(buf_str(&rule), b->scratch, folder, &b->entry.files, e);
	if (s == ASC_OK)
		s = check_confined(b, buf_str(&b->entry.files), e);
	buf_fini(&rule);
	free(folder);
	free(path);
	return s;
}

/* Fails when a source has changed: the compiler may have read another text than the key has. */
static enum asc_status check_unchanged(struct build *b)
{
	char key[HASH_TEXT_SIZE];
	const char *changed;
	const enum asc_status s = build_key(b->ops, &b->request, key, &b->failure);

	if (s == ASC_NOMEM || (s == ASC_OK && strcmp(key, b->key) == 0))
		return s;
	changed = sources_find_changed();
	return asc_err_set(&b->failure, ASC_INPUT, "%s was changed while it was being tuned",
			   changed ? changed : b->request.source);
}

/* Remembers the verdict; an artifact that cannot be kept is none, a refusal is one all the same. */
static void keep(struct build *b, struct cache *c)
{
	struct cache_entry *entry = &b->entry;
	struct asc_err e;

	if (entry->outcome == ARTIFACT_REFUSED) {
		/* A refusal that something missing may explain is tried again the next time. */
		if (outcome_lasts(buf_str(&entry->log)) &&
		    cache_keep(c, b->key, b->ops->suffix, b->output, entry, &e))
			log_print(LOG_WARN, "a refused build is not remembered: %s", e.text);
		return;
	}
	if (list_files(b, &b->failure) ||
	    cache_keep(c, b->key, b->ops->suffix, b->output, entry, &b->failure))
		entry->outcome = ARTIFACT_NONE;
}

/* Sets `failure` for trouble that says nothing of the source. */
static void fail(struct build *b, enum asc_status trouble, const char *how)
{
	char *line = outcome_reason(buf_str(&b->entry.log));
	bool said = line && *line, killed = trouble == ASC_CHILD;

	asc_err_set(&b->failure, trouble, "the compiler %s%s%s", how, said || !killed ? ": " : "",
		    said     ? line
		    : killed ? ""
			     : asc_status_text(trouble));
	free(line);
}

/* Finds the verdict of a command that has ended by itself. `status` is waitpid's. */
static void judge(struct build *b, struct cache *c, int status)
{
	char text[80];
	enum asc_status trouble = outcome_trouble(buf_str(&b->entry.log), status);

	if (check_unchanged(b))
		return;
	proc_print_status(status, text, sizeof text);
	/* Some compilers have no words for a full disk. */
	if (status != 0 && !trouble && cache_is_full(c))
		trouble = ASC_FULL;
	/* The compiler may say anything when the cache is removed around it. */
	if (status != 0 && !trouble && !file_exists(b->scratch))
		trouble = ASC_CHILD;
	if (trouble) {
		fail(b, trouble, text);
		return;
	}
	b->entry.outcome = status == 0 ? ARTIFACT_BUILT : ARTIFACT_REFUSED;
	if (status != 0 && b->entry.log.len == 0)
		buf_print(&b->entry.log, "the compiler %s and said nothing", text);
	keep(b, c);
}

static void expire(struct build *b, int64_t limit_ns)
{
	char text[UNITS_TEXT_SIZE];

	asc_err_set(&b->failure, ASC_TIMEOUT, "the compiler took longer than %s",
		    units_print_duration((double)limit_ns, text));
	proc_kill(&b->proc);
	if (b->server)
		compile_server_kill(b->server);
	b->server = NULL;
}

/* Takes the reply of a compile server. */
static void take_reply(struct build *b, struct compile_reply *r, struct cache *c)
{
	/* Output of a server beside its reply, cut: a reason may stand there alone. */
	const struct buf *words = &b->server->words;
	if (r->outcome == ARTIFACT_REFUSED && words->len) {
		buf_add_str(&r->log, r->log.len && r->log.data[r->log.len - 1] != '\n' ? "\n" : "");
		const size_t room = r->log.len < CACHE_LOG_BYTES ? CACHE_LOG_BYTES - r->log.len : 0;
		buf_add(&r->log, words->data, words->len < room ? words->len : room);
	}
	/* Its words are gone with it. */
	if (b->request.within)
		compile_server_kill(b->server);
	else
		compile_server_release(b->server);
	b->server = NULL;
	b->entry.log = r->log;
	b->entry.metadata = r->metadata;
	r->log = r->metadata = (struct buf){0};
	/* Nobody knows which text was compiled of a source that has changed meanwhile. */
	if (b->failure.status || check_unchanged(b))
		return;
	b->entry.outcome = r->outcome;
	if (r->outcome == ARTIFACT_PLANNED && b->entry.metadata.len == 0)
		buf_add_str(&b->entry.metadata, "{}");
	keep(b, c);
}

/* Finishes a build whose compile server has ended: its last output is the reason. */
static void take_end(struct build *b)
{
	struct proc *p = &b->server->proc;
	char text[80] = "does not answer";

	/* Its channel closes a moment before its status is there. */
	(void)proc_await_end(p, END_LIMIT_NS);
	if (proc_reap(p))
		proc_print_status(p->status, text, sizeof text);
	buf_add(&b->entry.log, buf_str(&b->server->words), b->server->words.len);
	fail(b, ASC_CHILD, text);
	compile_server_kill(b->server);
	b->server = NULL;
}

static bool advance_server(struct build *b, struct cache *c, int64_t limit_ns)
{
	struct compile_reply reply = {0};
	struct asc_err e = {0};
	bool ready = b->server->ready, done;
	/* Asked first: what an ended process has written is all there to be read. */
	bool ended = proc_ended(&b->server->proc);

	enum asc_status s = compile_server_receive(b->server, &reply, &done, &e);
	if (!ready && b->server->ready)
		b->start_ns = clock_now_ns(); /* its start is not the build's time */
	b->spent_ns = clock_now_ns() - b->start_ns;
	/* Importing an interpreter's packages may take longer than any compile. */
	if (!b->server->ready)
		limit_ns = START_LIMIT_NS;
	if (done) {
		b->failure = s ? e : b->failure;
		take_reply(b, &reply, c);
	} else if (s || ended) {
		take_end(b);
		done = true;
	} else if (b->spent_ns > limit_ns) {
		expire(b, limit_ns);
		done = true;
	}
	compile_reply_fini(&reply);
	return done;
}

bool build_advance(struct build *b, struct cache *c, int64_t limit_ns)
{
	if (b->server)
		return advance_server(b, c, limit_ns);
	/* Asked first: what an ended command has written is all there to be collected. */
	bool ended = proc_ended(&b->proc);

	b->spent_ns = clock_now_ns() - b->start_ns;
	proc_collect(&b->proc, CACHE_LOG_BYTES, &b->entry.log);
	if (ended) {
		(void)proc_reap(&b->proc);
		judge(b, c, b->proc.status);
	} else if (b->spent_ns > limit_ns) {
		expire(b, limit_ns);
		ended = true;
	}
	return ended;
}
