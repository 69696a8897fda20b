#include "tuner/build/pool_build.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/sources.h"
#include "tuner/base/units.h"
#include "tuner/build/manifest.h"
#include "tuner/build/outcome.h"
#include "tuner/build/resident.h"

enum asc_status build_key(const struct builder_ops *ops, const struct build_job *job,
			  char key[HASH_TEXT_SIZE], struct asc_err *e)
{
	struct hash *h = hash_new();

	if (!h)
		return asc_err_nomem(e);
	hash_add_str(h, ops->name);
	enum asc_status s = ops->key(job, h, e);
	hash_print(h, key);
	hash_free(h);
	return s;
}

struct build *build_new(const char *key, const struct builder_ops *ops, const struct build_job *job)
{
	struct build *b = calloc(1, sizeof *b);

	if (!b)
		return NULL;
	memcpy(b->key, key, sizeof b->key);
	b->ops = ops;
	b->job = *job;
	b->proc = (struct proc){.output = -1, .channel = -1};
	return b;
}

void build_reset(struct build *b)
{
	proc_kill(&b->proc);
	cache_drop_scratch(b->scratch);
	free(b->scratch);
	free(b->output);
	b->scratch = b->output = NULL;
	b->silent = false;
	buf_clear(&b->words);
	b->failure = (struct asc_err){0};
}

void build_free(struct build *b)
{
	if (!b)
		return;
	build_reset(b);
	buf_fini(&b->words);
	free(b);
}

bool build_recall(struct build *b, const struct cache *c)
{
	enum cache_answer answer = cache_find(c, b->key, b->ops->suffix, &b->words);

	if (answer == CACHE_ARTIFACT && !cache_is_current(c, b->key)) {
		buf_clear(&b->words);
		answer = CACHE_NOTHING;
	}
	b->ok = answer == CACHE_ARTIFACT;
	b->cached = answer != CACHE_NOTHING;
	return b->cached;
}

/* ---- starting ---- */

static enum asc_status write_input(const struct build *b, const struct build_command *c,
				   struct asc_err *e)
{
	if (!c->input)
		return ASC_OK;
	char *path = path_join(b->scratch, c->input_name);
	enum asc_status s =
		path ? file_write(path, c->input, strlen(c->input), e) : asc_err_nomem(e);
	free(path);
	return s;
}

static enum asc_status start_command(struct build *b, const struct build_command *c,
				     struct asc_err *e)
{
	/* A `char **` does not convert to `const char *const *` by itself, in C. */
	const char *argv[BUILD_MAX_ARGV] = {0};
	char *temporary = str_print("TMPDIR=%s", b->scratch);

	if (!temporary)
		return asc_err_nomem(e);
	for (size_t i = 0; i < c->argc; i++)
		argv[i] = c->argv[i];
	/* Messages in the language that build/outcome reads; and what a killed compiler leaves
	 * behind goes with the scratch folder. */
	const char *const variables[] = {"LC_ALL=C", temporary, NULL};
	struct proc_options o = {.argv = argv, .variables = variables, .capture = true};
	enum asc_status s = proc_start(&b->proc, &o, e);
	free(temporary);
	return s;
}

enum asc_status build_start(struct build *b, struct cache *c, struct residents *r)
{
	struct asc_err *e = &b->failure;
	struct build_command command;

	b->tries++;
	build_command_init(&command);
	enum asc_status s = cache_scratch(c, &b->scratch, e);
	if (s == ASC_OK) {
		b->output = str_print("%s/artifact%s", b->scratch, b->ops->suffix);
		s = b->output ? ASC_OK : asc_err_nomem(e);
	}
	if (s == ASC_OK)
		s = b->ops->command(&b->job, b->scratch, b->output, &command, e);
	if (s == ASC_OK)
		s = write_input(b, &command, e);
	b->start_ns = clock_now_ns();
	b->resident = command.n_resident > 0;
	b->rule_name = command.rule_name;
	if (s == ASC_OK)
		s = b->resident ? residents_start(r, b->ops, &command, &b->proc, e)
				: start_command(b, &command, e);
	build_command_fini(&command);
	return s;
}

/* ---- ending ---- */

static void remember_failure(struct build *b, struct cache *c)
{
	struct asc_err e;

	if (cache_keep_failure(c, b->key, &b->words, &e))
		log_print(LOG_WARN, "a refused build is not remembered: %s", e.text);
}

static enum asc_status list_files(const struct build *b, struct buf *files, struct asc_err *e)
{
	struct buf rule = {0};
	char *path = b->rule_name ? path_join(b->scratch, b->rule_name) : NULL;
	enum asc_status s = path || !b->rule_name ? ASC_OK : asc_err_nomem(e);

	/* Without a list of the compiler's, the key is all that there is. */
	if (path && file_exists(path))
		s = file_read(path, 0, &rule, e);
	if (s == ASC_OK)
		s = manifest_print(buf_str(&rule), b->scratch, files, e);
	buf_fini(&rule);
	free(path);
	return s;
}

static enum asc_status keep(struct build *b, struct cache *c)
{
	struct buf files = {0};
	enum asc_status s = list_files(b, &files, &b->failure);

	if (s == ASC_OK)
		s = cache_keep(c, b->key, b->ops->suffix, b->output, &files, &b->words,
			       &b->failure);
	buf_fini(&files);
	return s;
}

/* The compiler may have read something else than what the key was made of. */
static enum asc_status check_unchanged(struct build *b)
{
	char key[HASH_TEXT_SIZE];
	const char *changed;

	if (build_key(b->ops, &b->job, key, &b->failure) == ASC_OK && strcmp(key, b->key) == 0)
		return ASC_OK;
	changed = sources_find_changed();
	return asc_err_set(&b->failure, ASC_INPUT, "%s was changed while it was being tuned",
			   changed ? changed : b->job.call->source);
}

/* The command has ended by itself. `status` is waitpid's. */
static void judge(struct build *b, struct cache *c, int status)
{
	char text[80];

	if (check_unchanged(b))
		return;
	enum asc_status trouble = outcome_trouble(buf_str(&b->words), status);

	if (status == 0) {
		b->ok = keep(b, c) == ASC_OK;
		return;
	}
	proc_print_status(status, text, sizeof text);
	if (!trouble && cache_is_full(c))
		trouble = ASC_FULL;
	if (trouble) {
		char *line = outcome_reason(buf_str(&b->words));
		bool said = line && *line, killed = trouble == ASC_CHILD;
		asc_err_set(&b->failure, trouble, "the compiler %s%s%s", text,
			    said || !killed ? ": " : "",
			    said     ? line
			    : killed ? ""
				     : asc_status_text(trouble));
		free(line);
		return;
	}
	if (b->words.len == 0)
		buf_print(&b->words, "the compiler %s and said nothing", text);
	if (outcome_lasts(buf_str(&b->words)))
		remember_failure(b, c);
}

static void expire(struct build *b, int64_t limit_ns)
{
	char text[UNITS_TEXT_SIZE];

	proc_kill(&b->proc);
	asc_err_set(&b->failure, ASC_TIMEOUT, "the compiler took longer than %s",
		    units_print_duration((double)limit_ns, text));
}

/* What a library prints beside the answer of one that stays must not cost its end. */
static void collect(struct build *b)
{
	size_t most = b->resident ? (size_t)RESIDENT_MAX_WORDS : CACHE_LOG_BYTES;

	if (!b->silent)
		b->silent = !proc_collect(&b->proc, most, &b->words);
}

static void shorten(struct buf *words)
{
	if (words->len <= CACHE_LOG_BYTES)
		return;
	words->len = CACHE_LOG_BYTES;
	words->data[words->len] = '\0';
}

bool build_advance(struct build *b, struct cache *c, int64_t limit_ns)
{
	int status = 0;
	/* Asked first: what an ended command has written is all there to be collected. */
	bool ended = proc_ended(&b->proc);

	b->spent_ns = clock_now_ns() - b->start_ns;
	collect(b);
	if (b->resident && resident_answered(&b->words, &status)) {
		shorten(&b->words);
		judge(b, c, status);
		ended = true;
	} else if (ended) {
		(void)proc_reap(&b->proc);
		judge(b, c, b->proc.status);
	} else if (b->spent_ns > limit_ns) {
		expire(b, limit_ns);
		ended = true;
	}
	return ended;
}
