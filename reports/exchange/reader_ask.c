/* A process for the questions of each device: libraries ask for the device as they are imported,
 * and tuner/python/autotune_helper.py answers for it. The questions are an object in a file:
 *
 *     library    name of the exporter
 *     main       file of the program whose kernels are of __main__, or null
 *     device     {"model": NAME, "arch": "sm_90", "shared": BYTES}
 *     questions  [{"kernel": "MODULE:NAME", "file": PATH or null, "sizes": {}, "types": {}}, ...]
 *
 * The answer is {"absent": REASON}, or "triton" and "package", both versions, and "answers": for
 * each question {"why": REASON}, or
 *
 *     file    name of the table's file, with folders
 *     key     values of the tuning key, as the library makes them
 *     names   parameters that a configuration may have; FlagGems: has
 *     table   FlagGems: name of the table in the file
 *     listed  FlagGems: the kernel's own configurations, where one has a pre_hook; else null */
#include "reports/exchange/reader_ask.h"

#include <stdlib.h>
#include <string.h>

#include "reports/exchange/autotune.h"
#include "reports/exchange/python_texts.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

enum {
	LIMIT_S = 600, /* an import of FlagGems takes some seconds, of a cold disk a minute */
	MAX_ANSWER_BYTES = 256 << 20
};

/* ---- questions ---- */

static void write_question(const struct reader_problem *p, struct json_writer *w)
{
	json_write_begin(w, NULL, '{');
	json_write_string(w, "kernel", p->kernel);
	json_write_string(w, "file", p->source);
	json_write_begin(w, "sizes", '{');
	for (size_t i = 0; i < p->n_sizes; i++)
		if (p->truths && p->truths[i])
			json_write_bool(w, p->sizes[i].name, p->sizes[i].low != 0);
		else
			json_write_int(w, p->sizes[i].name, p->sizes[i].low);
	json_write_end(w, '}');
	json_write_begin(w, "types", '{');
	for (size_t i = 0; i < p->n_types; i++)
		json_write_string(w, p->types[i].name, p->types[i].type);
	json_write_end(w, '}');
	json_write_end(w, '}');
}

static bool is_of_device(const struct reader_problem *p, const struct reader_problem *first)
{
	return str_is_same(p->device, first->device) && str_is_same(p->arch, first->arch);
}

/* Writes the questions of the first one's device. */
static enum asc_status write_questions(const struct reader_asking *a, const char *main,
				       const struct reader_problem *first, const char *path,
				       struct asc_err *e)
{
	struct buf text = {0};
	struct json_writer w = {&text, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "library", a->library);
	json_write_string(&w, "main", main);
	json_write_begin(&w, "device", '{');
	json_write_string(&w, "model", first->device);
	json_write_string(&w, "arch", first->arch);
	json_write_int(&w, "shared", first->shared_bytes);
	json_write_end(&w, '}');
	json_write_begin(&w, "questions", '[');
	for (const struct reader_problem *p = first; p < a->list + a->n; p++)
		if (is_of_device(p, first))
			write_question(p, &w);
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	const enum asc_status status =
		buf_check(&text, e) ? e->status : file_write(path, text.data, text.len, e);

	buf_fini(&text);
	return status;
}

/* ---- answers ---- */

static enum asc_status check_version(const char *what, const char *asked, const struct json_node *n,
				     const char *python, struct asc_err *e)
{
	const char *found;

	if (json_get_string(n, &found, e))
		return e->status;
	return !asked || strcmp(asked, found) == 0
		       ? ASC_OK
		       : asc_err_set(e, ASC_INPUT,
				     "the table is for %s %s, %s has %s; ASCTUNE_PYTHON names "
				     "another Python",
				     what, asked, python, found);
}

static enum asc_status take_answers(const struct reader_asking *a, struct reader_problem *first,
				    const struct json_node *root, const char *python,
				    struct asc_err *e)
{
	const struct json_node *absent = json_find(root, "absent"),
			       *error = json_find(root, "error"),
			       *n = json_first(json_find(root, "answers"));
	const char *text;

	if (absent && json_get_string(absent, &text, e) == ASC_OK)
		return asc_err_set(e, ASC_ABSENT,
				   "%s, which %s is asked by: ASCTUNE_PYTHON names "
				   "another Python",
				   text, a->library);
	if (error && json_get_string(error, &text, e) == ASC_OK)
		return asc_err_set(e, ASC_INPUT, "%s: %s", python, text);
	if (check_version("Triton", a->triton, json_find(root, "triton"), python, e) ||
	    check_version(a->library, a->version, json_find(root, "package"), python, e))
		return e->status;
	for (struct reader_problem *p = first; p < a->list + a->n; p++) {
		if (!is_of_device(p, first))
			continue;
		if (!n)
			return asc_err_set(e, ASC_INPUT, "%s has answered too little", python);
		p->told = n;
		n = json_next(n);
	}
	return ASC_OK;
}

/* Runs the helper and opens what it prints; `what`: its work, for messages. */
static enum asc_status run_helper(const char *const *argv, const struct sandbox *box,
				  struct json_doc **out, struct asc_err *e)
{
	struct buf words = {0};
	char text[80];
	int status = 0;
	enum asc_status s = proc_run(argv, box, (int64_t)LIMIT_S * 1000000000, MAX_ANSWER_BYTES,
				     &words, &status, e);

	if (s == ASC_NOTFOUND)
		s = asc_err_set(e, ASC_ABSENT, "there is no program %s to ask", argv[0]);
	else if (s == ASC_TIMEOUT)
		s = asc_err_set(e, ASC_INPUT, "%s did not answer within %d s", argv[0], LIMIT_S);
	else if (s == ASC_OK && (status != 0 || words.len == 0))
		s = asc_err_set(e, ASC_INPUT, "%s was asked, and %s", argv[0],
				proc_print_status(status, text, sizeof text));
	if (s == ASC_OK)
		s = json_open_text(argv[0], buf_str(&words), words.len, out, e);
	buf_fini(&words);
	return s;
}

static enum asc_status read_path(const struct json_node *n, void *out, struct asc_err *e)
{
	return json_get_string(n, out, e);
}

/* Asks about the first question's device, and all that are of it. */
static enum asc_status ask_device(const struct reader_asking *a, struct reader_problem *first,
				  const struct json_node *python, struct reader_answers *out,
				  struct asc_err *e)
{
	const char *argv[] = {NULL,  "-B", "-c", autotune_helper, capture_cut, triton_common,
			      "ask", NULL, NULL};
	struct sandbox box = {0};
	struct json_doc *doc = NULL;
	char *folder = NULL, *path = NULL, *main = NULL;
	size_t count;

	if (json_get_string(json_find(python, "executable"), &argv[0], e))
		return e->status;
	box.reads =
		json_read_list(json_find(python, "reads"), sizeof *box.reads, read_path, &count, e);
	if (!box.reads || dir_make_scratch("asctune", &folder, e))
		return e->status;
	box.own = folder;
	path = path_join(folder, "questions.json");
	argv[7] = path;
	enum asc_status status = path ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK && a->main && !(main = path_absolute(a->main, e)))
		status = e->status;
	if (status == ASC_OK)
		status = write_questions(a, main, first, path, e);
	if (status == ASC_OK && main && file_exists(main))
		status = sandbox_grant(main, true, e);

	for (struct reader_problem *p = first; p < a->list + a->n && status == ASC_OK; p++)
		if (p->source && file_exists(p->source))
			status = sandbox_grant(p->source, true, e);
	if (status == ASC_OK)
		status = run_helper(argv, &box, &doc, e);
	if (status == ASC_OK && !array_room(&out->list, out->n, &out->room, sizeof *out->list))
		status = asc_err_nomem(e);
	if (status == ASC_OK) {
		out->list[out->n++].doc = doc;
		status = take_answers(a, first, json_root(doc), argv[0], e);
	} else {
		json_close(doc);
	}
	dir_remove(folder);
	free(folder);
	free(path);
	free(main);
	return status;
}

enum asc_status reader_ask(const struct reader_asking *a, struct reader_answers *out,
			   struct asc_err *e)
{
	static const char none[] = "{\"why\":\"its device is no GPU whose architecture is known\"}";
	const char *argv[] = {autotune_find_python(), "-B",    "-c", autotune_helper, capture_cut,
			      triton_common,          "where", NULL};
	struct json_doc *python = NULL, *unknown = NULL;
	enum asc_status status = run_helper(argv, NULL, &python, e);

	if (status == ASC_OK)
		status = json_open_text("answer", none, sizeof none - 1, &unknown, e);
	if (status == ASC_OK && !array_room(&out->list, out->n, &out->room, sizeof *out->list))
		status = asc_err_nomem(e);
	if (status == ASC_OK) {
		out->list[out->n++].doc = unknown;
		unknown = NULL;
	}
	for (size_t i = 0; i < a->n && status == ASC_OK; i++) {
		struct reader_problem *p = &a->list[i];

		if (!p->told && (!p->arch || strncmp(p->arch, "sm_", 3) != 0))
			p->told = json_root(out->list[0].doc);
		if (!p->told)
			status = ask_device(a, p, json_root(python), out, e);
	}
	json_close(unknown);
	json_close(python);
	return status;
}
