#include "tuner/build/triton_python.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/process/proc.h"

#define ANSWER_LIMIT_NS INT64_C(30000000000)

enum { ANSWER_BYTES = 1 << 20 };

/* ---- what the interpreter says ---- */

struct facts {
	const char *executable, *python, *triton, *assemblers;
	const char *reason; /* why its Triton cannot be used; NULL: it can */
	const struct json_node *reads;
};

static enum asc_status take_reads(const struct json_node *reads, struct triton_python *out,
				  struct asc_err *e)
{
	const char *path;
	char *own = NULL;
	size_t n = 0;

	if (json_expect(reads, JSON_ARRAY, e))
		return e->status;
	out->reads = calloc(json_count(reads) + 1, sizeof *out->reads);
	if (!out->reads)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(reads); i; i = json_next(i)) {
		if (json_get_string(i, &path, e))
			return e->status;
		own = str_dup(path);
		if (!own)
			return asc_err_nomem(e);
		out->reads[n++] = own;
	}
	return ASC_OK;
}

static enum asc_status take_facts(const struct json_node *root, const char *program,
				  struct triton_python *out, struct asc_err *e)
{
#define AT(member) offsetof(struct facts, member)
	static const struct json_field fields[] = {
		{"executable", JSON_AS_STRING, true, AT(executable), NULL, NULL},
		{"python", JSON_AS_STRING, true, AT(python), NULL, NULL},
		{"triton", JSON_AS_STRING, false, AT(triton), NULL, NULL},
		{"assemblers", JSON_AS_STRING, false, AT(assemblers), NULL, NULL},
		{"reason", JSON_AS_STRING, false, AT(reason), NULL, NULL},
		{"reads", JSON_AS_NODE, true, AT(reads), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"facts", fields};
	struct facts f = {.assemblers = ""};

	if (json_read_object(root, &spec, &f, e))
		return e->status;
	/* Its Triton may be there and too old: then it says so itself. */
	if (f.reason || !f.triton)
		return asc_err_set(e, ASC_ABSENT, "%s (%s) %s", program, f.python,
				   f.reason ? f.reason : "has no Triton");
	out->executable = str_dup(f.executable);
	out->identity = str_print("%s, Triton %s, %s", f.python, f.triton, f.assemblers);
	return out->executable && out->identity ? take_reads(f.reads, out, e) : asc_err_nomem(e);
}

static void python_fini(struct triton_python *p)
{
	for (size_t i = 0; p->reads && p->reads[i]; i++) {
		char *own;

		memcpy(&own, &p->reads[i], sizeof own); /* made by take_reads() */
		free(own);
	}
	free(p->reads);
	free(p->executable);
	free(p->identity);
	*p = (struct triton_python){0};
}

/* Runs the interpreter outside of the sandbox: its answer has the folders that the sandbox needs.
 */
static enum asc_status ask(const char *program, struct triton_python *out, struct asc_err *e)
{
	const char *argv[] = {program, "-B", "-c", triton_helper, "probe", NULL};
	struct buf words = {0};
	struct json_doc *doc;
	char text[80];
	int status = 0;
	enum asc_status s = proc_run(argv, NULL, ANSWER_LIMIT_NS, ANSWER_BYTES, &words, &status, e);

	if (s == ASC_NOTFOUND)
		s = asc_err_set(e, ASC_ABSENT, "there is no program %s", program);
	else if (s == ASC_OK && status != 0)
		s = asc_err_set(e, ASC_ABSENT, "%s %s%s%.*s", program,
				proc_print_status(status, text, sizeof text), words.len ? ": " : "",
				(int)strcspn(buf_str(&words), "\n"), buf_str(&words));
	if (s == ASC_OK)
		s = json_open_text(program, buf_str(&words), words.len, &doc, e);
	/* A program that answers late, or with other words, is no interpreter to use. */
	if (s == ASC_TIMEOUT || s == ASC_INPUT)
		s = e->status = ASC_ABSENT;
	buf_fini(&words);
	if (s)
		return s;
	s = take_facts(json_root(doc), program, out, e);
	json_close(doc);
	if (s)
		python_fini(out);
	return s;
}

/* ---- the last answer ---- */

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

enum asc_status triton_python_get(const struct triton_python **out, struct asc_err *e)
{
	static struct {
		char *asked;
		struct triton_python python;
		struct asc_err failure;
	} last;
	const char *setting = environment(TRITON_PYTHON_VARIABLE);
	char *asked =
		str_print("%s\n%s\n%s", setting, environment("PATH"), environment("PYTHONPATH"));

	if (!asked)
		return asc_err_nomem(e);
	if (last.asked && strcmp(last.asked, asked) == 0) {
		free(asked);
	} else {
		python_fini(&last.python);
		free(last.asked);
		last.asked = asked;
		last.failure.status =
			ask(*setting ? setting : "python3", &last.python, &last.failure);
	}
	*out = &last.python;
	if (last.failure.status == ASC_OK)
		return ASC_OK;
	*e = last.failure;
	if (e->status != ASC_ABSENT) { /* a failure of the moment: the next call asks again */
		free(last.asked);
		last.asked = NULL;
	}
	return e->status;
}
