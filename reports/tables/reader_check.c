#include "reports/tables/reader_check.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reports/tables/reader_result.h"
#include "reports/tables/readers/reader.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/result/provenance.h"

struct table_check {
	const struct reader_ops *reader;
	const struct evidence_machine *here;
	const char *path, *name; /* of the table; name: without folders */
	const char *triton;      /* that it is for; NULL: not known */
	struct reader_table now; /* what it has */
	struct buf file;         /* its text */
	struct buf asked;        /* file that the reader asks for */
	evidence_stale_fn *stale;
	void *user;
};

/* Says why the table is stale. */
static void tell(const struct table_check *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void tell(const struct table_check *c, const char *format, ...)
{
	char reason[1024];
	va_list args;

	va_start(args, format);
	str_print_line(reason, sizeof reason, format, args);
	va_end(args);
	c->stale(c->user, c->name, reason);
}

/* Says with what the table is not compared, and why. */
static void pass_over(const struct table_check *c, const char *what, const char *reason)
{
	if (c->here->pass_over)
		c->here->pass_over(c->here->user, what, reason);
}

/* Reads a member that is a string or null. */
static enum asc_status read_text(const struct json_node *object, const char *name, const char **out,
				 struct asc_err *e)
{
	const struct json_node *n = json_find(object, name);

	*out = NULL;
	return n && json_type(n) != JSON_NULL ? json_get_string(n, out, e) : ASC_OK;
}

/* Reads rows out of a text, if there is one. */
static enum asc_status read_rows(const struct table_check *c, const char *name, const char *text,
				 struct reader_table *out, struct asc_err *e)
{
	struct buf b = {0};

	buf_add_str(&b, text ? text : "");
	const enum asc_status status = b.failed    ? asc_err_nomem(e)
				       : b.len > 0 ? c->reader->read(name, &b, out, e)
						   : ASC_OK;

	buf_fini(&b);
	return status;
}

/* ---- the question of a row ---- */

struct question {
	struct rule_size sizes[RULE_MAX_SIZES];
	bool truths[RULE_MAX_SIZES];
	struct asctune_type types[RULE_MAX_TYPES];
	struct reader_problem p;
};

static bool has_text(const struct json_node *list, const char *text)
{
	const char *own;
	struct asc_err ignored;

	for (const struct json_node *n = json_first(list); n; n = json_next(n))
		if (json_get_string(n, &own, &ignored) == ASC_OK && strcmp(own, text) == 0)
			return true;
	return false;
}

/* Reads device, sizes and types of a row, by the library's names. */
static enum asc_status read_question(const struct json_node *row, struct question *q,
				     struct asc_err *e)
{
	q->p = (struct reader_problem){.sizes = q->sizes, .truths = q->truths, .types = q->types};
	for (const struct json_node *n = json_first(json_find(row, "sizes"));
	     n && q->p.n_sizes < RULE_MAX_SIZES; n = json_next(n)) {
		q->truths[q->p.n_sizes] = has_text(json_find(row, "truths"), json_key(n));
		struct rule_size *s = &q->sizes[q->p.n_sizes++];

		s->name = json_key(n);
		if (json_get_int(json_first(n), &s->low, e))
			return e->status;
		s->high = s->low;
	}
	for (const struct json_node *n = json_first(json_find(row, "types"));
	     n && q->p.n_types < RULE_MAX_TYPES; n = json_next(n)) {
		struct asctune_type *t = &q->types[q->p.n_types++];

		t->name = json_key(n);
		if (json_get_string(n, &t->type, e))
			return e->status;
	}
	if (json_get_string(json_find(row, "device_model"), &q->p.device, e) ||
	    read_text(row, "device_arch", &q->p.arch, e))
		return e->status;
	q->p.shared_bytes = reader_result_shared_bytes(q->p.arch);
	return json_get_string(json_find(row, "exported_operator"), &q->p.kernel, e);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Begin of a folder of one version of Triton, "triton_3_6_0/NAME", with the file's name; NULL: it
 * is in none. */
static const char *find_triton_folder(const char *path)
{
	const char *at = last_part(path);

	while (at > path + 1 && at[-2] != '/')
		at--;
	at -= at > path;
	return strncmp(at, "triton_", strlen("triton_")) == 0 ? at : NULL;
}

/* Compares the file's name with that for which its reader asks; *named: they are the same. */
static enum asc_status compare_name(struct table_check *c, const struct question *q, bool *named,
				    struct asc_err *e)
{
	struct asc_err why;

	buf_clear(&c->asked);
	const enum asc_status status = c->reader->name_file(&q->p, c->triton, &c->asked, &why);

	/* A folder that the library has named is a part of the name. */
	const char *asked = buf_str(&c->asked), *last = last_part(asked);
	const size_t n = strlen(c->path), end = strlen(asked);
	const bool whole =
		str_ends_with(c->path, asked) && (n == end || c->path[n - end - 1] == '/');

	*named = status == ASC_OK && (c->reader->asks ? whole : strcmp(last, c->name) == 0);
	if (status == ASC_NOMEM)
		return asc_err_nomem(e);
	/* Other folders may have any name. */
	const char *there = find_triton_folder(c->path), *folder = find_triton_folder(asked);

	if (status)
		tell(c, "%s does not ask for it: %s", c->reader->name, why.text);
	else if (there && folder && strcmp(there, folder) != 0)
		tell(c, "%s does not ask for it with Triton %s: it asks for %s", c->reader->name,
		     c->triton, asked);
	else if (!*named)
		tell(c, "%s does not ask for it: it asks for %s", c->reader->name,
		     c->reader->asks ? asked : last);
	return ASC_OK;
}

/* ---- variants of a GPU ---- */

/* Bytes of a model's name up to the end of its first part with a digit: "NVIDIA H100" of "NVIDIA
 * H100 80GB HBM3" and of "NVIDIA H100 PCIe", which are variants of one model. */
static size_t family_length(const char *model)
{
	static const char between[] = " -_/";
	const char *at = model;

	while (*at) {
		const char *end = at + strcspn(at, between);

		while (at < end && !isdigit((unsigned char)*at))
			at++;
		if (at < end)
			return (size_t)(end - model);
		at += strspn(at, between);
	}
	return (size_t)(at - model);
}

static bool is_variant(const char *a, const char *b)
{
	const size_t n = family_length(a);

	return n == family_length(b) && strncasecmp(a, b, n) == 0;
}

/* True where a file of that name is in the table's folder, or beside that where the reader's names
 * have folders. */
static bool is_beside(const struct table_check *c, const char *asked, struct asc_err *e)
{
	const char *own = buf_str(&c->asked);
	const size_t n = strlen(c->path);
	char *path;

	if (str_ends_with(c->path, own))
		path = str_print("%.*s%s", (int)(n - strlen(own)), c->path, asked);
	else
		path = str_print("%.*s%s", (int)(n - strlen(c->name)), c->path, last_part(asked));
	const bool there = path && file_exists(path);

	if (!path)
		(void)asc_err_nomem(e);
	free(path);
	return there;
}

/* Compares the GPU of a row with this machine's: another variant of the model asks for another
 * file, or for the same one, whose rows are not for it. */
static enum asc_status compare_device(struct table_check *c, struct question *q, struct asc_err *e)
{
	const char *then = q->p.device, *now = c->here->model;
	struct buf asked = {0};
	struct asc_err ignored;

	if (!now || strcmp(now, then) == 0)
		return ASC_OK;
	if (c->reader->one_device) {
		tell(c,
		     "device: measured on %s, this machine has %s, and no name in %s's files "
		     "tells GPUs apart",
		     then, now, c->reader->name);
		return ASC_OK;
	}
	q->p.device = now;
	e->status = c->reader->name_file(&q->p, c->triton, &asked, &ignored);
	q->p.device = then;
	if (e->status == ASC_OK && strcmp(buf_str(&asked), buf_str(&c->asked)) == 0)
		tell(c,
		     "device: measured on %s, this machine has %s, for which %s asks for the "
		     "same file",
		     then, now, c->reader->name);
	else if (e->status == ASC_OK && is_variant(then, now) &&
		 !is_beside(c, buf_str(&asked), e) && e->status == ASC_OK)
		tell(c,
		     "device: measured on %s, this machine has another variant, %s, for which "
		     "%s asks for %s",
		     then, now, c->reader->name, buf_str(&asked));
	buf_fini(&asked);
	return e->status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
}

/* ---- libraries that have to be asked ---- */

/* Finds out whether a library still asks for the row of a problem by a key that the table has. */
static enum asc_status compare_key(const struct table_check *c, const struct reader_problem *p,
				   const struct reader_table *then, struct asc_err *e)
{
	struct buf key = {0};
	const enum asc_status status = c->reader->print_key(c->reader, p, &key, e);

	if (status == ASC_OK && !reader_table_find(then, buf_str(&key)))
		tell(c, "%s does not ask for its row: it asks for %s", c->reader->name,
		     buf_str(&key));
	buf_fini(&key);
	return status == ASC_NOMEM ? status : ASC_OK;
}

/* Reads the question of a row, and the file of its kernel, on the heap. */
static enum asc_status read_asked(const struct json_node *row, struct question *q, char **source,
				  struct asc_err *e)
{
	struct provenance p;

	*source = NULL;
	if (read_question(row, q, e) || provenance_read(json_find(row, "provenance"), &p, e) ||
	    reader_result_find_source(&p, source, e))
		return e->status;
	q->p.source = *source;
	return ASC_OK;
}

/* Asks the library for the names of all rows at once: the kernel's text, a package or Triton may be
 * others now. */
static enum asc_status compare_asked(struct table_check *c, const struct json_node *rows,
				     const char *text, struct asc_err *e)
{
	const size_t most = json_count(rows);
	struct question *questions = calloc(most, sizeof *questions);
	struct reader_problem *list = calloc(most, sizeof *list);
	char **sources = calloc(most, sizeof *sources);
	struct reader_asking a = {.library = c->reader->library, .list = list};
	struct reader_answers told = {0};
	struct reader_table then = {0};
	enum asc_status status = questions && list && sources
					 ? read_rows(c, "table", text, &then, e)
					 : asc_err_nomem(e);
	bool named = true;

	for (const struct json_node *row = json_first(rows); row && status == ASC_OK;
	     row = json_next(row)) {
		status = read_asked(row, &questions[a.n], &sources[a.n], e);
		list[a.n] = questions[a.n].p;
		/* Such a file has rows of one device. */
		if (status == ASC_OK && c->reader->one_device && row == json_first(rows))
			status = compare_device(c, questions, e);
		if (status == ASC_OK && strncmp(list[a.n].kernel, "__main__:", 9) != 0)
			a.n++;
		else
			free(sources[a.n]);
	}
	if (status == ASC_OK && a.n < most)
		pass_over(c, c->reader->library,
			  "the file of the program, which has the kernels of __main__, is not "
			  "recorded");
	if (status == ASC_OK && c->here->package)
		pass_over(c, "--package",
			  "the installed library tells names of these files, in Python");
	if (status == ASC_OK && a.n > 0)
		status = c->here->ask(&a, &told, e);
	if (status == ASC_ABSENT && !c->here->python) {
		pass_over(c, c->reader->library, e->text);
		status = ASC_OK;
		named = false;
	}
	for (size_t i = 0; i < a.n && status == ASC_OK && named; i++) {
		questions[i].p.told = list[i].told;
		status = compare_name(c, &questions[i], &named, e);
		if (status == ASC_OK && named)
			status = compare_key(c, &list[i], &then, e);
	}
	for (size_t i = 0; i < a.n; i++)
		free(sources[i]);
	reader_answers_fini(&told);
	reader_table_fini(&then);
	free(sources);
	free(questions);
	free(list);
	return status;
}

/* ---- rows ---- */

/* Compares the rows of the file with those that asctune wrote, and those of others that were there
 * then. */
static enum asc_status compare_rows(const struct table_check *c, const char *own,
				    const char *merged, struct asc_err *e)
{
	struct reader_table then = {0}, placed = {0};
	enum asc_status status = read_rows(c, "table", own, &then, e);

	if (status == ASC_OK)
		status = read_rows(c, "merged", merged ? merged : own, &placed, e);
	for (size_t i = 0; i < then.n && status == ASC_OK; i++) {
		const char *key = then.rows[i].key ? then.rows[i].key : "default";

		if (!reader_table_has(&c->now, &then.rows[i]))
			tell(c, "row %.40s: %s since it was written", key,
			     reader_table_find(&c->now, then.rows[i].key) ? "changed" : "removed");
	}
	for (size_t i = 0; i < c->now.n && status == ASC_OK; i++)
		if (!reader_table_find(&placed, c->now.rows[i].key))
			tell(c, "row %.40s: not asctune's, and new since it was written",
			     c->now.rows[i].key ? c->now.rows[i].key : "default");
	reader_table_fini(&then);
	reader_table_fini(&placed);
	return status;
}

/* ---- what is installed ---- */

/* Compares Triton's version, that of the table itself where it says one. */
static enum asc_status compare_triton(const struct table_check *c, struct asc_err *e)
{
	const char *then = c->now.version ? c->now.version : c->triton, *now = NULL;

	if (!then || !c->here->find_triton)
		return ASC_OK;
	const enum asc_status status = c->here->find_triton(c->here->user, &now, e);

	if (status == ASC_OK && strcmp(now, then) != 0)
		tell(c, "Triton: %s, the table is for %s", now, then);
	return status == ASC_NOTFOUND ? ASC_OK : status;
}

/* Compares the package's own file of the table's name with the one that was known when the table
 * was made. */
static enum asc_status compare_shipped(const struct table_check *c, const char *library,
				       const char *text, const struct json_node *known,
				       struct asc_err *e)
{
	struct reader_table now = {0}, then = {0};
	const char *rows = NULL;
	struct asc_err why;

	/* A table that was copied into the package is there itself. */
	if (strcmp(text, buf_str(&c->file)) == 0)
		return ASC_OK;
	if (json_type(known) == JSON_NULL) {
		tell(c,
		     "%s ships a file of that name, which was not known when the table was "
		     "made; `asctune import --from %s` takes it in",
		     library, c->reader->library);
		return ASC_OK;
	}
	enum asc_status status = json_get_string(known, &rows, e);

	if (status == ASC_OK)
		status = read_rows(c, "shipped", rows, &then, e);
	const enum asc_status found =
		status == ASC_OK ? read_rows(c, library, text, &now, &why) : ASC_OK;

	if (found == ASC_NOMEM)
		status = asc_err_nomem(e);
	else if (found)
		tell(c, "the file of that name that is shipped: %s", why.text);
	const struct reader_row *other = NULL;
	const char *how = "";

	for (size_t i = 0; i < now.n && status == ASC_OK && !found && !other; i++)
		if (!reader_table_has(&then, &now.rows[i])) {
			other = &now.rows[i];
			how = reader_table_find(&then, other->key) ? "another" : "new";
		}
	for (size_t i = 0; i < then.n && status == ASC_OK && !found && !other; i++)
		if (!reader_table_find(&now, then.rows[i].key)) {
			other = &then.rows[i];
			how = "gone";
		}
	if (other)
		tell(c,
		     "%s ships another file of that name than the one that was imported: row "
		     "%.40s is %s",
		     library, other->key ? other->key : "default", how);
	reader_table_fini(&now);
	reader_table_fini(&then);
	return status;
}

/* Finds the file of the table's name among those that a package ships. */
static const char *find_shipped(const struct table_check *c, const struct evidence_library *l)
{
	const struct json_node *n =
		l->tables ? json_find(l->tables, last_part(buf_str(&c->asked))) : NULL;
	const char *text = NULL;
	struct asc_err ignored;

	return n && json_get_string(n, &text, &ignored) == ASC_OK ? text : NULL;
}

/* Folder of the package in which the reader looks for the file; empty: in none. */
static void print_shipped_folder(const struct table_check *c, struct buf *out)
{
	const char *asked = buf_str(&c->asked);

	if (c->reader->shipped && c->asked.len > 0)
		buf_print(out, "%s/%.*s", c->reader->shipped, (int)(last_part(asked) - asked),
			  asked);
	else
		buf_add_str(out, "");
}

/* Compares the package that the kernel was cut out of, `origin` of a row, with what is installed.
 */
static enum asc_status compare_library(const struct table_check *c, const struct json_node *origin,
				       const struct json_node *shipped, struct asc_err *e)
{
	const char *kernel, *package, *version, *digest, *text;
	struct evidence_library now = {0};
	struct buf folder = {0}, library = {0};
	struct asc_err why;

	/* "X-source" is free for other programs, too: what is none of asctune's says nothing. */
	if (!c->here->find_library || read_text(origin, "kernel", &kernel, &why) ||
	    read_text(origin, "package", &package, &why) ||
	    read_text(origin, "version", &version, &why) ||
	    read_text(origin, "digest", &digest, &why) || !kernel || strchr(kernel, '/'))
		return ASC_OK;
	print_shipped_folder(c, &folder);
	enum asc_status status = buf_check(&folder, e);
	const enum asc_status found =
		status ? ASC_OK
		       : c->here->find_library(c->here->user, kernel, buf_str(&folder), &now, &why);

	buf_print(&library, "%s%s%s", package ? package : kernel, now.version ? " " : "",
		  now.version ? now.version : "");
	if (status == ASC_OK)
		status = buf_check(&library, e);
	if (status == ASC_OK && found == ASC_INPUT)
		tell(c, "%s", why.text);
	else if (status == ASC_OK && found && found != ASC_NOTFOUND)
		status = asc_err_set(e, found, "%s", why.text);
	if (status == ASC_OK && !found && version && now.version &&
	    strcmp(version, now.version) != 0)
		tell(c, "%s: %s, the kernel was cut out of %s", package ? package : kernel,
		     now.version, version);
	if (status == ASC_OK && !found && digest && now.digest && strcmp(digest, now.digest) != 0)
		tell(c, "kernel %s of %s: another text than the one that was measured", kernel,
		     buf_str(&library));
	text = status == ASC_OK && !found && shipped ? find_shipped(c, &now) : NULL;
	if (text)
		status = compare_shipped(c, buf_str(&library), text, shipped, e);
	buf_fini(&folder);
	buf_fini(&library);
	return status;
}

/* ---- all of a table ---- */

/* Compares what the rows say of their questions, devices and kernels. Rows of one table mostly say
 * the same, which is looked at once. */
static enum asc_status check_rows(struct table_check *c, const struct json_node *evidence,
				  struct asc_err *e)
{
	const struct json_node *shipped = json_find(evidence, "shipped");
	struct buf now = {0}, then = {0}; /* origins */
	enum asc_status status = ASC_OK;
	const char *device = "";
	bool named = true;

	for (const struct json_node *row = json_first(json_find(evidence, "rows"));
	     row && status == ASC_OK; row = json_next(row)) {
		const struct json_node *origin = json_find(row, "origin");
		struct question q;

		status = read_question(row, &q, e);
		if (status == ASC_OK && named)
			status = compare_name(c, &q, &named, e);
		if (status == ASC_OK && named && strcmp(device, q.p.device) != 0)
			status = compare_device(c, &q, e);
		buf_clear(&now);
		if (origin)
			json_write_node(&(struct json_writer){&now, false}, NULL, origin);
		if (status == ASC_OK)
			status = buf_check(&now, e);
		if (status == ASC_OK && (!origin || json_type(origin) == JSON_NULL))
			pass_over(c, c->reader->library,
				  "\"X-source\" of the workload does not say where the kernel "
				  "was cut out");
		if (status == ASC_OK && origin && json_type(origin) == JSON_OBJECT &&
		    strcmp(buf_str(&now), buf_str(&then)) != 0)
			status = compare_library(c, origin, shipped, e);
		device = q.p.device;
		const struct buf kept = now;

		now = then;
		then = kept;
	}
	buf_fini(&now);
	buf_fini(&then);
	return status;
}

enum asc_status reader_check_table(const struct json_node *evidence, const char *path,
				   const struct evidence_machine *here, evidence_stale_fn *stale,
				   void *user, struct asc_err *e)
{
	struct table_check c = {
		.here = here, .path = path, .name = last_part(path), .stale = stale, .user = user};
	const char *reader, *text, *merged;
	struct asc_err why;

	if (json_get_string(json_find(evidence, "reader"), &reader, e) ||
	    json_get_string(json_find(evidence, "table"), &text, e) ||
	    read_text(evidence, "merged", &merged, e) ||
	    read_text(evidence, "triton", &c.triton, e))
		return e->status;
	c.reader = reader_find(reader);
	if (!c.reader)
		return json_fail(json_find(evidence, "reader"), e,
				 "no reader \"%s\"; `asctune list readers` names them", reader);
	/* A table that is gone is the caller's to report. */
	const bool there = file_exists(path);
	enum asc_status status = there ? file_read(path, 0, &c.file, e) : ASC_OK;
	const enum asc_status found =
		status == ASC_OK && there ? c.reader->read(path, &c.file, &c.now, &why) : ASC_OK;

	if (found == ASC_NOMEM)
		status = asc_err_nomem(e);
	/* Names of a library that is asked tell of Triton, package and text. */
	if (status == ASC_OK && c.reader->asks && json_first(json_find(evidence, "rows")))
		status = compare_asked(&c, json_find(evidence, "rows"), text, e);
	else if (status == ASC_OK)
		status = check_rows(&c, evidence, e);
	if (status == ASC_OK && !c.reader->asks)
		status = compare_triton(&c, e);
	if (status == ASC_OK && found)
		tell(&c, "%s", why.text);
	else if (status == ASC_OK && there)
		status = compare_rows(&c, text, merged, e);
	reader_table_fini(&c.now);
	buf_fini(&c.file);
	buf_fini(&c.asked);
	return status;
}
