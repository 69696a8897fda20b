#include "tuner/tune/evaluate/python_identity.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/build/outcome.h"
#include "tuner/build/worker_python.h"
#include "tuner/device/device.h"
#include "tuner/device/device_environment.h"
#include "tuner/process/guard.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/python_worker.h"
#include "tuner/workload/sources/sources.h"
#include "tuner/workload/workload.h"

enum { VERSION = 1 /* of what is kept */, ANSWER_BYTES = 16 << 20, SAID_BYTES = 1 << 16 };

struct question {
	const struct evaluator_target *target;
	const struct interpreter *python;
	char *place;          /* MODULE:FUNCTION or /FILE.py:FUNCTION; heap */
	struct buf variables; /* "NAME=VALUE, ", those that libraries go by */
	char key[HASH_TEXT_SIZE];
};

/* ---- the environment ---- */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* True for a variable that libraries go by, unless workers have one of their own in its place. */
static bool is_read(const char *variable)
{
	static const char *const begins[] = {"TORCH",       "PYTORCH_", "TRITON_",
					     "LIGER_",      "VLLM_",    "FLASHINFER_",
					     "INFINI_OPS_", "NPY_",     NULL};
	size_t i = 0;

	while (begins[i] && strncmp(variable, begins[i], strlen(begins[i])) != 0)
		i++;
	return begins[i] && !python_worker_sets(variable);
}

/* Adds variables in the order of their names. */
static enum asc_status add_variables(struct buf *out, struct asc_err *e)
{
	size_t n = 0, all = 0;

	while (environ[all])
		all++;
	const char **list = calloc(all + 1, sizeof *list);

	if (!list)
		return asc_err_nomem(e);
	for (size_t i = 0; i < all; i++)
		if (is_read(environ[i]))
			list[n++] = environ[i];
	qsort(list, n, sizeof *list, compare_texts);
	for (size_t i = 0; i < n; i++)
		buf_print(out, ", %s", list[i]);
	free(list);
	return buf_check(out, e);
}

static enum asc_status question_init(struct question *q, const struct workload *w,
				     const struct callable *c, const struct evaluator_target *t,
				     struct asc_err *e)
{
	static const char *const places[] = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"};
	const struct worker_python *python;
	struct hash h;

	*q = (struct question){.target = t};
	if (worker_python_get(&python, e) || add_variables(&q->variables, e))
		return e->status;
	q->python = &python->interpreter;
	q->place = python_function_absolute(w, c->source);
	if (!q->place)
		return asc_err_nomem(e);
	hash_init(&h);
	hash_add(&h, &(int64_t){VERSION}, sizeof(int64_t));
	hash_add_str(&h, q->python->executable);
	hash_add_str(&h, q->python->python);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		hash_add_str(&h, getenv(places[i]));
	hash_add_str(&h, buf_str(&q->variables));
	hash_add_str(&h, t->device->name);
	hash_add_str(&h, q->place);
	return hash_end(&h, q->key, e);
}

static void question_fini(struct question *q)
{
	free(q->place);
	buf_fini(&q->variables);
}

/* ---- the process that finds it ---- */

/* States how a process ended that gave no answer, and the first line that it wrote. */
static enum asc_status fail_silent(const struct question *q, int status, const struct buf *said,
				   struct asc_err *e)
{
	char how[80], *reason = outcome_reason(buf_str(said));
	const bool ended = WIFEXITED(status);

	asc_err_set(e, ASC_ABSENT, "%s cannot be imported: its import %s (the process %s)%s%s",
		    q->place, ended ? "ends the process" : "does not end well",
		    proc_print_status(status, how, sizeof how), reason && *reason ? ": " : "",
		    reason ? reason : "");
	free(reason);
	return e->status;
}

/* Runs the interpreter in the environment and the sandbox of a worker. */
static enum asc_status run(const struct question *q, const char *folder, const char *answer,
			   int64_t limit_ns, int *status, struct buf *said, struct asc_err *e)
{
	const char *reads[DEVICE_MAX_READS + 2] = {q->target->cache};
	const char *variables[DEVICE_MAX_VARIABLES + 1];
	struct device_environment environment = {0};
	struct python_worker python = {0};
	char limit[UNITS_TEXT_SIZE];

	if (device_environment(q->target->device, q->target->place, &environment, e))
		return e->status;
	for (size_t i = 0; i < DEVICE_MAX_READS; i++)
		reads[i + 1] = environment.reads[i];
	for (size_t i = 0; i <= DEVICE_MAX_VARIABLES; i++)
		variables[i] = environment.variables[i];
	enum asc_status s = python_worker_init(&python, q->target, "", folder, reads, variables, e);
	char *text = s ? NULL : str_print("%s\n%s", python.text, python_identity_text);
	const char *const argv[] = {
		q->python->executable, "-B", "-c", text, "identity", answer, q->place, NULL};
	const struct sandbox box = {.own = folder,
				    .reads = python.reads,
				    .writes = python.writes,
				    .driver = !q->target->info || !q->target->info->shares_host};
	const struct proc_options options = {.argv = argv,
					     .folder = folder,
					     .variables = python.variables,
					     .capture = true,
					     .sandbox = &box};

	if (!s)
		s = text ? proc_run_options(&options, NULL, limit_ns, SAID_BYTES, said, status, e)
			 : asc_err_nomem(e);
	if (s == ASC_TIMEOUT)
		s = asc_err_set(e, ASC_ABSENT, "%s cannot be imported: that takes longer than %s",
				q->place, units_print_duration((double)limit_ns, limit));
	free(text);
	python_worker_fini(&python);
	device_environment_fini(&environment);
	return s;
}

/* Adds the line of a file as it is now. */
static void add_stamp(const char *path, struct buf *out)
{
	struct stat st;

	if (stat(path, &st))
		buf_print(out, "-1 0 %s\n", path);
	else
		buf_print(out, "%jd %jd %s\n", (intmax_t)st.st_size,
			  (intmax_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec, path);
}

/* Adds the lines behind an answer. */
static enum asc_status add_stamps(const char *answer, struct buf *out, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	const char *path;

	if (json_open_text("answer", answer, strlen(answer), &doc, e))
		return e->status;
	enum asc_status s = ASC_OK;

	for (const struct json_node *n = json_first(json_find(json_root(doc), "read")); n && !s;
	     n = json_next(n)) {
		s = json_get_string(n, &path, e);
		if (!s && !strchr(path, '\n'))
			add_stamp(path, out);
	}
	json_close(doc);
	return s ? s : buf_check(out, e);
}

/* Asks the interpreter: *out is what is kept. */
static enum asc_status ask(const struct question *q, int64_t limit_ns, struct buf *out,
			   struct asc_err *e)
{
	char *folder = NULL;
	struct buf said = {0};
	int status = 0;

	if (guard_make_scratch("asctune-identity", &folder, e))
		return e->status;
	char *answer = path_join(folder, "answer.json");
	enum asc_status s =
		answer ? run(q, folder, answer, limit_ns, &status, &said, e) : asc_err_nomem(e);

	if (!s && (file_read(answer, ANSWER_BYTES, out, e) || out->len == 0))
		s = e->status == ASC_NOMEM ? e->status : fail_silent(q, status, &said, e);
	if (!s) {
		char *line = str_print("%.*s", (int)strcspn(buf_str(out), "\n"), buf_str(out));

		buf_clear(out);
		buf_print(out, "%s\n", line ? line : "");
		s = line ? add_stamps(line, out, e) : asc_err_nomem(e);
		free(line);
	}
	dir_remove(folder);
	free(folder);
	free(answer);
	buf_fini(&said);
	return s;
}

/* ---- what is kept ---- */

struct kept { /* by this process */
	char key[HASH_TEXT_SIZE];
	char *text;   /* what is kept; NULL: it failed */
	char *reason; /* of a failure; NULL: none */
	char *stamp;  /* of a failure: the function's file; "": it is of no file */
};

static struct {
	struct kept *list;
	size_t n, room;
} memory;

static struct kept *find_kept(const char *key, struct asc_err *e)
{
	for (size_t i = 0; i < memory.n; i++)
		if (strcmp(memory.list[i].key, key) == 0)
			return &memory.list[i];
	if (!array_room(&memory.list, memory.n, &memory.room, sizeof *memory.list)) {
		(void)asc_err_nomem(e);
		return NULL;
	}
	struct kept *k = &memory.list[memory.n++];

	*k = (struct kept){.text = NULL};
	memcpy(k->key, key, sizeof k->key);
	return k;
}

/* True where all files are as they were. */
static bool is_current(const char *text)
{
	struct buf now = {0};
	bool same = true;

	for (const char *line = text + strcspn(text, "\n"); same && *line == '\n' && line[1];
	     line += 1 + strcspn(line + 1, "\n")) {
		const size_t len = strcspn(line + 1, "\n") + 1;
		const char *path = strchr(line, '/');
		char *own = path && path < line + len
				    ? str_print("%.*s", (int)(line + 1 + len - 1 - path), path)
				    : NULL;

		buf_clear(&now);
		if (own)
			add_stamp(own, &now);
		same = own && now.len == len && memcmp(buf_str(&now), line + 1, len) == 0;
		free(own);
	}
	buf_fini(&now);
	return same;
}

static char *path_of(const struct question *q)
{
	return str_print("%s/python/identity/%s", q->target->cache, q->key);
}

/* Finds what an earlier process has kept, where it still counts; NULL: nothing. */
static char *read_kept(const struct question *q)
{
	struct asc_err ignored;
	struct buf text = {0};
	char *path = sandbox_is_required() ? NULL : path_of(q);

	if (path && file_read(path, ANSWER_BYTES, &text, &ignored) == ASC_OK && text.len > 0 &&
	    is_current(buf_str(&text))) {
		free(path);
		return buf_take(&text);
	}
	free(path);
	buf_fini(&text);
	return NULL;
}

/* Keeps it; what cannot be kept is found again. */
static void write_kept(const struct question *q, const char *text)
{
	struct asc_err e = {0};
	char *path = sandbox_is_required() ? NULL : path_of(q);
	char *folder = path ? path_folder(path) : NULL;

	if (folder && (dir_make(folder, &e) || file_replace(path, text, strlen(text), &e)))
		log_print(LOG_DEBUG, "the identity of %s is not kept: %s", q->place, e.text);
	free(folder);
	free(path);
}

static void forget(const struct question *q)
{
	struct asc_err ignored;
	struct kept *k = find_kept(q->key, &ignored);
	char *path = path_of(q);

	if (k) {
		free(k->text);
		k->text = NULL;
	}
	if (path)
		(void)unlink(path);
	free(path);
}

static char *stamp_of(const struct question *q)
{
	struct buf text = {0};
	char *file = *q->place == '/'
			     ? str_print("%.*s", (int)(strrchr(q->place, ':') - q->place), q->place)
			     : NULL;

	buf_add_str(&text, "");
	if (file)
		add_stamp(file, &text);
	free(file);
	return buf_take(&text);
}

/* Remembers a failure, so that a run of many problems imports no module that hangs for each. */
static enum asc_status remember_failure(struct kept *k, char **stamp, struct asc_err *e)
{
	if (e->status != ASC_ABSENT)
		return e->status;
	free(k->reason);
	free(k->stamp);
	k->reason = str_dup(e->text);
	k->stamp = *stamp;
	*stamp = NULL;
	return e->status;
}

/* The failure that an answer states. */
static enum asc_status find_reason(const char *text, const char *place, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	const char *reason = NULL;
	struct asc_err why;

	if (json_open_text("answer", text, strcspn(text, "\n"), &doc, &why))
		return why.status == ASC_NOMEM
			       ? asc_err_nomem(e)
			       : asc_err_set(e, ASC_ABSENT, "%s: its import gives no answer: %s",
					     place, why.text);
	const struct json_node *n = json_find(json_root(doc), "reason");

	if (n && json_get_string(n, &reason, e) == ASC_OK)
		asc_err_set(e, ASC_ABSENT, "%s", reason);
	json_close(doc);
	return n ? e->status : ASC_OK;
}

/* Sets *text, borrowed until the next call. */
static enum asc_status find_text(const struct question *q, int64_t limit_ns, const char **text,
				 struct asc_err *e)
{
	struct kept *k = find_kept(q->key, e);
	char *stamp = k ? stamp_of(q) : NULL;
	struct buf found = {0};
	enum asc_status s = k && stamp ? ASC_OK : asc_err_nomem(e);

	if (!s && k->reason && strcmp(k->stamp, stamp) == 0)
		s = asc_err_set(e, ASC_ABSENT, "%s", k->reason);
	else if (!s && !(k->text && is_current(k->text))) {
		free(k->text);
		k->text = read_kept(q);
		if (!k->text) {
			s = ask(q, limit_ns, &found, e);
			if (!s)
				s = find_reason(buf_str(&found), q->place, e);
			if (!s)
				k->text = buf_take(&found);
			if (!s && k->text)
				write_kept(q, k->text);
			s = s         ? remember_failure(k, &stamp, e)
			    : k->text ? ASC_OK
				      : asc_err_nomem(e);
		}
	}
	*text = s ? NULL : k->text;
	buf_fini(&found);
	free(stamp);
	return s;
}

/* ---- the answer ---- */

struct library {
	const char *name, *version, *digest;
};

static const struct json_field library_fields[] = {
	{"name", JSON_AS_STRING, true, offsetof(struct library, name), NULL, NULL},
	{"version", JSON_AS_STRING, true, offsetof(struct library, version), NULL, NULL},
	{"digest", JSON_AS_STRING, true, offsetof(struct library, digest), NULL, NULL},
	{0}};
static const struct json_spec library_spec = {"library", library_fields};

static enum asc_status take_libraries(const struct json_node *list, struct buf *toolchain,
				      struct hash *h, struct asc_err *e)
{
	if (json_expect(list, JSON_ARRAY, e))
		return e->status;
	for (const struct json_node *n = json_first(list); n; n = json_next(n)) {
		struct library l = {0};

		if (json_read_object(n, &library_spec, &l, e))
			return e->status;
		buf_print(toolchain, ", %s %s #%.8s", l.name, l.version, l.digest);
		hash_add_str(h, l.name);
		hash_add_str(h, l.version);
		hash_add_str(h, l.digest);
	}
	return ASC_OK;
}

/* Takes the files as they are now. Their names below the workload count, those elsewhere do not. */
static enum asc_status take_files(const struct json_node *list, const char *folder, struct buf *out,
				  struct hash *h, struct asc_err *e)
{
	struct json_writer w = {.out = out};
	char key[HASH_TEXT_SIZE];
	const char *path;

	if (json_expect(list, JSON_ARRAY, e))
		return e->status;
	json_write_begin(&w, NULL, '{');
	for (const struct json_node *n = json_first(list); n; n = json_next(n)) {
		if (json_get_string(n, &path, e))
			return e->status;
		if (sources_key(path, key, e))
			return e->status == ASC_NOMEM ? e->status : (e->status = ASC_ABSENT);
		const bool below = path_is_within(path, folder);
		const char *name =
			below ? path + strlen(folder) + strspn(path + strlen(folder), "/") : path;

		json_write_string(&w, name, key);
		hash_add_str(h, below ? name : path_name(path));
		hash_add_str(h, key);
	}
	json_write_end(&w, '}');
	return buf_check(out, e);
}

static enum asc_status take(const struct question *q, const struct workload *w, const char *text,
			    struct python_identity *out, struct asc_err *e)
{
	struct buf toolchain = {0}, sources = {0};
	struct json_doc *doc = NULL;
	struct hash h;

	if (json_open_text("answer", text, strcspn(text, "\n"), &doc, e))
		return e->status;
	hash_init(&h);
	hash_add_str(&h, q->python->python);
	buf_add_str(&toolchain, q->python->python);
	enum asc_status s =
		take_libraries(json_find(json_root(doc), "libraries"), &toolchain, &h, e);

	if (!s)
		s = take_files(json_find(json_root(doc), "files"), w->folder, &sources, &h, e);
	buf_add_str(&toolchain, buf_str(&q->variables));
	hash_add_str(&h, buf_str(&q->variables));
	struct asc_err other;
	const enum asc_status hashed = hash_end(&h, out->digest, s ? &other : e);

	s = s ? s : hashed ? hashed : buf_check(&toolchain, e);
	if (!s) {
		out->toolchain = buf_take(&toolchain);
		out->sources = buf_take(&sources);
		s = out->toolchain && out->sources ? ASC_OK : asc_err_nomem(e);
	}
	buf_fini(&toolchain);
	buf_fini(&sources);
	json_close(doc);
	return s;
}

enum asc_status python_identity_find(const struct workload *w, const struct callable *c,
				     const struct evaluator_target *t, int64_t limit_ns,
				     struct python_identity *out, struct asc_err *e)
{
	struct question q;
	const char *text;

	*out = (struct python_identity){0};
	enum asc_status s = question_init(&q, w, c, t, e);

	if (!s)
		s = find_text(&q, limit_ns, &text, e);
	if (!s)
		s = take(&q, w, text, out, e);
	if (s == ASC_INPUT && q.place) { /* what was kept is damaged */
		forget(&q);
		s = find_text(&q, limit_ns, &text, e);
		s = s ? s : take(&q, w, text, out, e);
	}
	question_fini(&q);
	if (s)
		python_identity_fini(out);
	return s;
}

void python_identity_fini(struct python_identity *i)
{
	free(i->toolchain);
	free(i->sources);
	*i = (struct python_identity){0};
}
