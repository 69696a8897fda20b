#include "tuner/build/triton_kernel.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/compile_server.h"
#include "tuner/build/manifest.h"
#include "tuner/build/outcome.h"
#include "tuner/build/triton_python.h"
#include "tuner/process/guard.h"

#define IMPORT_LIMIT_NS INT64_C(60000000000)
#define END_LIMIT_NS    INT64_C(200000000) /* for one that has closed its channel */

/* ---- one question ---- */

/* Interpreter that looks at kernels; it ends with this process. */
static struct compile_servers lookers;

static char *folder; /* that it may write: libraries make files as they are imported */

static void remove_folder(void)
{
	dir_remove(folder);
	free(folder);
}

static enum asc_status make_folder(struct asc_err *e)
{
	if (folder || guard_make_scratch("asctune-look", &folder, e))
		return folder ? ASC_OK : e->status;
	(void)atexit(remove_folder);
	return ASC_OK;
}

/* States the end of an interpreter that did not answer. */
static enum asc_status fail_ended(const struct build_request *r, struct compile_server *s,
				  struct asc_err *e)
{
	char text[80] = "does not answer";
	char *said = outcome_reason(buf_str(&s->words));

	(void)proc_await_end(&s->proc, END_LIMIT_NS);
	if (proc_reap(&s->proc))
		proc_print_status(s->proc.status, text, sizeof text);
	asc_err_set(e, ASC_ABSENT, "%s cannot be imported: the interpreter %s%s%s", r->source, text,
		    said && *said ? ": " : "", said ? said : "");
	free(said);
	return e->status;
}

static enum asc_status await(const struct build_request *r, struct compile_server *s,
			     int64_t limit_ns, struct compile_reply *out, struct asc_err *e)
{
	const int64_t until_ns = clock_now_ns() + limit_ns;
	char text[UNITS_TEXT_SIZE];
	bool done = false;

	while (!done) {
		/* Asked first: what an ended process has written is all there to be read. */
		const bool ended = proc_ended(&s->proc);
		const enum asc_status status = compile_server_receive(s, out, &done, e);
		const int64_t left_ns = until_ns - clock_now_ns();

		if (done || status == ASC_NOMEM)
			return status;
		if (status || ended)
			return fail_ended(r, s, e);
		if (left_ns <= 0)
			return asc_err_set(e, ASC_ABSENT,
					   "%s cannot be imported: that takes longer than %s",
					   r->source, units_print_duration((double)limit_ns, text));
		struct pollfd fds[PROC_POLLFDS];
		const size_t n = proc_add_pollfds(&s->proc, fds, 0, PROC_POLLFDS);

		(void)poll(fds, n, (int)(left_ns / 1000000 + 1));
	}
	return ASC_OK;
}

/* Finds whether the interpreter says that something is not there. */
static enum asc_status find_absent(const struct compile_reply *reply, bool *out, struct asc_err *e)
{
	const struct buf *metadata = &reply->metadata;
	struct json_doc *doc;

	*out = false;
	if (metadata->len == 0)
		return ASC_OK;
	if (json_open_text("kernel", buf_str(metadata), metadata->len, &doc, e))
		return e->status;
	*out = json_find(json_root(doc), "absent") != NULL;
	json_close(doc);
	return ASC_OK;
}

/* Makes a failure of a refusal. */
static enum asc_status judge(const struct compile_reply *reply, struct asc_err *e)
{
	static const char prefix[] = "error: ";
	bool absent;
	char *reason;

	if (reply->outcome == ARTIFACT_BUILT)
		return ASC_OK;
	if (find_absent(reply, &absent, e))
		return e->status;
	reason = outcome_reason(buf_str(&reply->log));
	if (!reason)
		return asc_err_nomem(e);
	const size_t skipped = strncmp(reason, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;

	asc_err_set(e, absent ? ASC_ABSENT : ASC_INPUT, "%s", reason + skipped);
	free(reason);
	return e->status;
}

static enum asc_status ask(const struct triton_python *python, const struct build_request *r,
			   const char *text, int64_t limit_ns, struct compile_reply *out,
			   struct asc_err *e)
{
	struct compile_server *server = NULL;
	struct build_command c;
	char *own = NULL; /* folder of an interpreter for a stranger's kernel alone */
	/* One program may be the interpreter for GPUs and for NPUs: its servers differ. */
	char *toolchain = str_print("%s %s", python->interpreter.executable, python->identity);

	if (!toolchain)
		return asc_err_nomem(e);
	build_command_init(&c);
	triton_python_serve(python, &c);
	build_command_add(&c, "-"); /* no file is made */
	build_command_add(&c, "%s", r->source);
	build_command_add(&c, "%s", r->entry);
	build_command_add(&c, "%s", ""); /* no digest to hold it to */
	build_command_add(&c, "%s", r->arch);
	build_command_add(&c, "%s", text);
	enum asc_status s = build_command_check(&c, e);
	if (s == ASC_OK && !lookers.list)
		s = compile_servers_init(&lookers, 1, e);
	if (s == ASC_OK)
		s = r->within ? guard_make_scratch("asctune-look", &own, e) : make_folder(e);
	if (s == ASC_OK)
		s = compile_servers_send(&lookers, toolchain, own ? own : folder, &c, &server, e);
	build_command_fini(&c);
	free(toolchain);
	if (s == ASC_OK) {
		s = await(r, server, limit_ns, out, e);
		/* An interpreter that failed may hold half of a module. One that has run a
		 * stranger's file says of the next kernel what the stranger likes. */
		if (s || r->within)
			compile_server_kill(server);
		else
			compile_server_release(server);
	}
	dir_remove(own);
	free(own);
	return s ? s : judge(out, e);
}

/* ---- answers ---- */

static struct known {
	char *python, *source, *entry;
	char *digest;
	char *constants; /* names of its tl.constexpr, a line each, behind an empty one */
	char *files;     /* lines of build/manifest */
} * known;
static size_t n_known, known_capacity;

static struct known *find_known(const char *python, const struct build_request *r)
{
	for (size_t i = 0; i < n_known; i++)
		if (strcmp(known[i].python, python) == 0 &&
		    strcmp(known[i].source, r->source) == 0 &&
		    strcmp(known[i].entry, r->entry) == 0)
			return &known[i];
	return NULL;
}

static enum asc_status add_known(const char *python, const struct build_request *r,
				 struct known **out, struct asc_err *e)
{
	struct known one = {
		str_dup(python), str_dup(r->source), str_dup(r->entry), NULL, NULL, NULL};

	if (!one.python || !one.source || !one.entry ||
	    !array_room(&known, n_known + 1, &known_capacity, sizeof *known)) {
		free(one.python);
		free(one.source);
		free(one.entry);
		return asc_err_nomem(e);
	}
	known[n_known] = one;
	*out = &known[n_known++];
	return ASC_OK;
}

static enum asc_status take_facts(const struct json_node *root, struct known *out,
				  struct asc_err *e)
{
	const struct json_node *files = json_find(root, "files");
	const struct json_node *constants = json_find(root, "constants");
	const struct json_node *digest = json_find(root, "digest");
	const char *text = "", *name;
	struct buf lines = {0}, names = {0};
	enum asc_status s = digest ? json_get_string(digest, &text, e)
				   : asc_err_set(e, ASC_PROTOCOL, "a kernel without a digest");

	for (const struct json_node *f = files ? json_first(files) : NULL; f && s == ASC_OK;
	     f = json_next(f))
		s = json_get_string(f, &name, e) ? e->status : manifest_add(name, &lines, e);
	buf_add_str(&names, "\n");
	for (const struct json_node *c = constants ? json_first(constants) : NULL; c && s == ASC_OK;
	     c = json_next(c)) {
		s = json_get_string(c, &name, e);
		if (s == ASC_OK)
			buf_print(&names, "%s\n", name);
	}
	if (s == ASC_OK && (buf_check(&lines, e) || buf_check(&names, e)))
		s = e->status;
	if (s == ASC_OK) {
		free(out->digest);
		free(out->constants);
		free(out->files);
		out->digest = str_dup(text);
		out->constants = str_dup(buf_str(&names));
		out->files = str_dup(buf_str(&lines));
		if (!out->digest || !out->constants || !out->files) {
			free(out->files);
			out->files = NULL; /* it is asked again */
			s = asc_err_nomem(e);
		}
	}
	buf_fini(&lines);
	buf_fini(&names);
	return s;
}

static enum asc_status take_reply(const struct compile_reply *reply, struct known *out,
				  struct asc_err *e)
{
	struct json_doc *doc;

	if (json_open_text("kernel", buf_str(&reply->metadata), reply->metadata.len, &doc, e))
		return e->status;
	enum asc_status s = take_facts(json_root(doc), out, e);
	json_close(doc);
	return s;
}

enum asc_status triton_kernel_digest(const struct triton_python *python,
				     const struct build_request *r, const char **out,
				     struct asc_err *e)
{
	struct compile_reply reply = {0};
	struct known *k = find_known(python->interpreter.executable, r);
	enum asc_status s = k ? ASC_OK : add_known(python->interpreter.executable, r, &k, e);

	/* Asked again when a file of the last answer has changed, also one that it imports. */
	if (s == ASC_OK && !(k->files && manifest_is_current(k->files, NULL))) {
		s = ask(python, r, "null", IMPORT_LIMIT_NS, &reply, e);
		if (s == ASC_OK)
			s = take_reply(&reply, k, e);
	}
	compile_reply_fini(&reply);
	*out = k ? k->digest : NULL;
	return s;
}

enum asc_status triton_kernel_takes(const struct triton_python *python,
				    const struct build_request *r, const char *name, bool *out,
				    struct asc_err *e)
{
	const struct known *k = find_known(python->interpreter.executable, r);
	const char *digest;

	*out = false;
	/* What a key is made of was looked at for it: once is enough. */
	if (!(k && k->files) && triton_kernel_digest(python, r, &digest, e))
		return e->status;
	k = find_known(python->interpreter.executable, r);
	char *line = str_print("\n%s\n", name);

	if (!line)
		return asc_err_nomem(e);
	*out = k && strstr(k->constants, line);
	free(line);
	return ASC_OK;
}

enum asc_status triton_kernel_check(const struct triton_python *python,
				    const struct build_request *r, const char *text,
				    int64_t limit_ns, struct asc_err *e)
{
	struct compile_reply reply = {0};
	enum asc_status s = ask(python, r, text, limit_ns ? limit_ns : IMPORT_LIMIT_NS, &reply, e);

	compile_reply_fini(&reply);
	return s;
}
