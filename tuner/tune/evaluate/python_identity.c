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
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/sources/sources.h"
#include "tuner/workload/workload.h"

enum { VERSION = 2 /* of what is kept */, ANSWER_BYTES = 16 << 20, SAID_BYTES = 1 << 16 };

struct question {
	const struct evaluator_target *target;
	const struct interpreter *python;
	const struct workload *workload;
	const char *torch;    /* "torch" where its workers import that, too; else "" */
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

/* Length of the module's name, or the file's, in a place. */
static size_t source_length(const char *place)
{
	return (size_t)(strrchr(place, ':') - place);
}

static enum asc_status question_init(struct question *q, const struct workload *w,
				     const struct callable *c, const struct evaluator_target *t,
				     struct asc_err *e)
{
	static const char *const places[] = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"};
	const struct worker_python *python;
	struct hash h;

	*q = (struct question){.target = t, .workload = w, .torch = c->python.torch ? "torch" : ""};
	enum asc_status s = worker_python_get(&python, e);

	if (!s)
		s = add_variables(&q->variables, e);
	if (s)
		return s;
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
	hash_add_str(&h, q->torch);
	hash_add(&h, q->place, source_length(q->place)); /* one import for all of its functions */
	return hash_end(&h, q->key, e);
}

static void question_fini(struct question *q)
{
	free(q->place);
	buf_fini(&q->variables);
}

/* ---- the process that finds it ---- */

struct ending { /* of the process */
	int status;
	struct buf said; /* what it wrote */
};

/* States how a process ended that gave no answer, and the first line that it wrote. */
static enum asc_status fail_silent(const struct question *q, const struct ending *x,
				   struct asc_err *e)
{
	char how[80], *reason = outcome_reason(buf_str(&x->said));

	asc_err_set(e, ASC_ABSENT, "%s cannot be imported: the process %s%s%s", q->place,
		    proc_print_status(x->status, how, sizeof how), reason && *reason ? ": " : "",
		    reason ? reason : "");
	free(reason);
	return e->status;
}

/* The command; `places` are ended by NUL each. A heap array of borrowed texts, NULL-terminated;
 * NULL when out of memory. */
static const char **argv_of(const struct question *q, const char *answer, const char *text,
			    const struct buf *places)
{
	const char *const head[] = {
		q->python->executable, "-B", "-c", text, "identity", answer, q->torch};
	size_t n = sizeof head / sizeof *head, all = n;

	for (size_t i = 0; i < places->len; i++)
		all += buf_str(places)[i] == '\0';
	const char **argv = calloc(all + 1, sizeof *argv);

	if (!argv)
		return NULL;
	memcpy(argv, head, sizeof head);
	for (const char *place = buf_str(places); n < all; place += strlen(place) + 1)
		argv[n++] = place;
	return argv;
}

/* Runs the interpreter in the environment and the sandbox of a worker. */
static enum asc_status run(const struct question *q, const struct buf *places, const char *folder,
			   const char *answer, int64_t limit_ns, struct ending *x,
			   struct asc_err *e)
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
	const char **argv = s ? NULL : argv_of(q, answer, text, places);
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
		s = text && argv ? proc_run_options(&options, NULL, limit_ns, SAID_BYTES, &x->said,
						    &x->status, e)
				 : asc_err_nomem(e);
	if (s == ASC_TIMEOUT)
		s = asc_err_set(e, ASC_ABSENT, "%s cannot be imported: that takes longer than %s",
				q->place, units_print_duration((double)limit_ns, limit));
	free(argv);
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
static enum asc_status ask(const struct question *q, const struct buf *places, int64_t limit_ns,
			   struct buf *out, struct asc_err *e)
{
	char *folder = NULL;
	struct ending x = {0};
	struct asc_err why = {0};

	if (guard_make_scratch("asctune-identity", &folder, e))
		return e->status;
	char *answer = path_join(folder, "answer.json");
	enum asc_status s =
		answer ? run(q, places, folder, answer, limit_ns, &x, e) : asc_err_nomem(e);

	if (!s && (file_read(answer, ANSWER_BYTES, out, &why) || out->len == 0))
		s = why.status == ASC_NOMEM ? asc_err_nomem(e) : fail_silent(q, &x, e);
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
	buf_fini(&x.said);
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

static char *stamp_of(const struct question *q)
{
	struct buf text = {0};
	char *file =
		*q->place == '/' ? str_print("%.*s", (int)source_length(q->place), q->place) : NULL;

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

static const struct json_node *find_text_of(const struct json_node *list, const char *text)
{
	struct asc_err ignored;
	const char *one;

	for (const struct json_node *n = json_first(list); n; n = json_next(n))
		if (json_get_string(n, &one, &ignored) == ASC_OK && strcmp(one, text) == 0)
			return n;
	return NULL;
}

/* Looks for a place in an answer: ASC_ABSENT with its reason where it cannot be called,
 * ASC_NOTFOUND where it was not asked for, or the answer is damaged. */
static enum asc_status look_up(const char *text, const char *place, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	struct asc_err why;
	const char *reason;
	enum asc_status s = ASC_NOTFOUND;

	if (!text)
		return ASC_NOTFOUND;
	if (json_open_text("answer", text, strcspn(text, "\n"), &doc, &why))
		return why.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_NOTFOUND;
	const struct json_node *n = json_find(json_find(json_root(doc), "reasons"), place);

	if (n && json_get_string(n, &reason, &why) == ASC_OK)
		s = asc_err_set(e, ASC_ABSENT, "%s", reason);
	else if (!n && find_text_of(json_find(json_root(doc), "places"), place))
		s = ASC_OK;
	json_close(doc);
	return s;
}

static bool has_reasons(const char *text)
{
	struct json_doc *doc = NULL;
	struct asc_err ignored;

	if (json_open_text("answer", text, strcspn(text, "\n"), &doc, &ignored))
		return true;
	const bool has = json_count(json_find(json_root(doc), "reasons")) > 0;

	json_close(doc);
	return has;
}

static void add_place(struct buf *places, const char *place)
{
	for (size_t at = 0; at < places->len; at += strlen(buf_str(places) + at) + 1)
		if (strcmp(buf_str(places) + at, place) == 0)
			return;
	buf_add(places, place, strlen(place) + 1);
}

/* Gathers the functions of the question's module: its own first, those of its workload, and those
 * of an earlier answer, so that two workloads do not take each other's away. Each is ended by NUL.
 */
static enum asc_status gather_places(const struct question *q, const char *earlier,
				     struct buf *places, struct asc_err *e)
{
	const size_t len = source_length(q->place) + 1;
	struct json_doc *doc = NULL;
	struct asc_err ignored;
	const char *one;

	add_place(places, q->place);
	for (size_t i = 0; i < q->workload->n_implementations; i++) {
		const struct implementation *own = &q->workload->implementations[i];

		for (size_t k = 0; k < own->n_calls; k++) {
			const struct callable *c = &own->calls[k];
			char *place = callable_is_of(c, "python")
					      ? python_function_absolute(q->workload, c->source)
					      : NULL;

			if (place && strncmp(place, q->place, len) == 0 &&
			    c->python.torch == (*q->torch != '\0'))
				add_place(places, place);
			free(place);
		}
	}
	if (earlier &&
	    json_open_text("answer", earlier, strcspn(earlier, "\n"), &doc, &ignored) == ASC_OK) {
		const struct json_node *list = json_find(json_root(doc), "places");

		for (const struct json_node *n = json_first(list); n; n = json_next(n))
			if (json_get_string(n, &one, &ignored) == ASC_OK &&
			    strncmp(one, q->place, len) == 0)
				add_place(places, one);
	}
	json_close(doc);
	return buf_check(places, e);
}

/* Asks for all functions of the module, and keeps what is said: on disk where all can be called,
 * since what keeps one from it may lie outside of what was read. */
static enum asc_status ask_all(const struct question *q, struct kept *k, const char *earlier,
			       int64_t limit_ns, char **stamp, struct asc_err *e)
{
	struct buf places = {0}, found = {0};
	enum asc_status s = gather_places(q, earlier, &places, e);

	if (!s)
		s = ask(q, &places, limit_ns, &found, e);
	buf_fini(&places);
	free(k->text);
	k->text = s ? NULL : buf_take(&found);
	buf_fini(&found);
	if (s)
		return remember_failure(k, stamp, e);
	if (!k->text)
		return asc_err_nomem(e);
	if (!has_reasons(k->text))
		write_kept(q, k->text);
	s = look_up(k->text, q->place, e);
	return s == ASC_NOTFOUND
		       ? asc_err_set(e, ASC_ABSENT, "%s: its import gives no answer", q->place)
		       : s;
}

/* Sets *text, borrowed until the next call. */
static enum asc_status find_text(const struct question *q, int64_t limit_ns, const char **text,
				 struct asc_err *e)
{
	struct kept *k = find_kept(q->key, e);
	char *stamp = k ? stamp_of(q) : NULL, *kept = NULL;
	enum asc_status s = ASC_NOTFOUND;

	if (!k || !stamp) {
		free(stamp);
		return asc_err_nomem(e);
	}
	if (k->reason && strcmp(k->stamp, stamp) == 0)
		s = asc_err_set(e, ASC_ABSENT, "%s", k->reason);
	else if (k->text && is_current(k->text))
		s = look_up(k->text, q->place, e);
	if (s == ASC_NOTFOUND) {
		kept = read_kept(q);
		s = look_up(kept, q->place, e);
		if (s == ASC_OK) {
			free(k->text);
			k->text = kept;
			kept = NULL;
		}
	}
	if (s == ASC_NOTFOUND)
		s = ask_all(q, k, kept ? kept : k->text, limit_ns, &stamp, e);
	*text = s ? NULL : k->text;
	free(kept);
	free(stamp);
	return s;
}

/* True where this process remembers such a failure, which another import would repeat. */
static bool has_failed(const struct workload *w, const struct callable *c,
		       const struct evaluator_target *t)
{
	struct question q;
	struct asc_err ignored;
	bool failed = false;
	const bool asked = question_init(&q, w, c, t, &ignored) == ASC_OK;

	for (size_t i = 0; asked && i < memory.n; i++) {
		const struct kept *k = &memory.list[i];

		if (strcmp(k->key, q.key) != 0)
			continue;
		char *stamp = k->reason ? stamp_of(&q) : NULL;

		failed = k->reason ? stamp && strcmp(k->stamp, stamp) == 0
				   : look_up(k->text, q.place, &ignored) == ASC_ABSENT;
		free(stamp);
	}
	question_fini(&q);
	return failed;
}

/* Appends the places of an implementation's functions but for those that could not be imported. */
static void add_places(const struct workload *w, const struct implementation *i,
		       const struct evaluator_target *t, struct buf *out)
{
	for (size_t k = 0; k < i->n_calls; k++) {
		if (!callable_is_of(&i->calls[k], "python") || has_failed(w, &i->calls[k], t))
			continue;
		char *place = python_function_absolute(w, i->calls[k].source);

		out->failed |= !place;
		buf_print(out, "%s\n", place ? place : "");
		free(place);
	}
}

enum asc_status python_identity_places(const struct evaluator_problem *p,
				       const struct evaluator_target *t, char **out,
				       struct asc_err *e)
{
	const struct workload *w = p->binding->workload;
	struct buf all = {0};
	bool any = false;
	char reason[256];

	*out = NULL;
	for (size_t i = 0; i < w->n_implementations; i++) {
		const struct implementation *one = &w->implementations[i];
		const size_t before = all.len;
		bool covers;

		if (!name_list_has(&one->devices, p->binding->device) ||
		    (p->implementation && strcmp(p->implementation, one->name) != 0))
			continue;
		/* Functions that do not cover this problem are imported all the same: a problem
		 * beside this one is not to wait for another process. */
		add_places(w, one, t, &all);
		if (all.len == before || any)
			continue;
		if (binding_covers(p->binding, one, &covers, reason, sizeof reason, e)) {
			buf_fini(&all);
			return e->status;
		}
		any = covers;
	}
	const enum asc_status s = buf_check(&all, e);

	if (s || !any)
		buf_fini(&all);
	else
		*out = buf_take(&all);
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
	const char *text = NULL;

	*out = (struct python_identity){0};
	enum asc_status s = question_init(&q, w, c, t, e);

	if (!s)
		s = find_text(&q, limit_ns, &text, e);
	if (!s)
		s = take(&q, w, text, out, e);
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
