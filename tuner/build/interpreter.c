#include "tuner/build/interpreter.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/process/proc.h"

#define ANSWER_LIMIT_NS INT64_C(30000000000)

enum { ANSWER_BYTES = 1 << 20, MAX_WORDS = 4 };

enum asc_status interpreter_read_texts(const struct json_node *texts, const char ***out,
				       struct asc_err *e)
{
	const char *text;
	char *own = NULL;
	size_t n = 0;

	if (json_expect(texts, JSON_ARRAY, e))
		return e->status;
	const char **list = *out = calloc(json_count(texts) + 1, sizeof *list);

	if (!list)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(texts); i; i = json_next(i)) {
		if (json_get_string(i, &text, e))
			return e->status;
		own = str_dup(text);
		if (!own)
			return asc_err_nomem(e);
		list[n++] = own;
	}
	return ASC_OK;
}

void interpreter_free_texts(const char **list)
{
	for (size_t i = 0; list && list[i]; i++) {
		char *own;

		memcpy(&own, &list[i], sizeof own); /* made by interpreter_read_texts() */
		free(own);
	}
	free(list);
}

struct facts {
	const char *executable, *python;
	const struct json_node *reads;
};

enum asc_status interpreter_read(const struct json_node *facts, struct interpreter *out,
				 struct asc_err *e)
{
#define AT(member) offsetof(struct facts, member)
	static const struct json_field fields[] = {
		{"executable", JSON_AS_STRING, true, AT(executable), NULL, NULL},
		{"python", JSON_AS_STRING, true, AT(python), NULL, NULL},
		{"reads", JSON_AS_NODE, true, AT(reads), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"interpreter", fields};
	struct facts f = {0};

	if (json_read_object(facts, &spec, &f, e))
		return e->status;
	out->executable = str_dup(f.executable);
	out->python = str_dup(f.python);
	if (!out->executable || !out->python)
		return asc_err_nomem(e);
	return interpreter_read_texts(f.reads, &out->reads, e);
}

void interpreter_fini(struct interpreter *i)
{
	free(i->executable);
	free(i->python);
	interpreter_free_texts(i->reads);
	*i = (struct interpreter){0};
}

/* Makes ASC_ABSENT of a program that failed. One that is no Python may say the text that it was
 * given, which is nothing that the user has written. */
static enum asc_status fail_as(const char *program, const char *text, int status,
			       const struct buf *said, struct asc_err *e)
{
	char how[80];

	(void)proc_print_status(status, how, sizeof how);
	if (said->len > 0 && memmem(said->data, said->len, text, strcspn(text, "\n")))
		return asc_err_set(e, ASC_ABSENT, "%s is no Python: it %s", program, how);
	return asc_err_set(e, ASC_ABSENT, "%s %s%s%.*s", program, how, said->len > 0 ? ": " : "",
			   (int)strcspn(buf_str(said), "\n"), buf_str(said));
}

enum asc_status interpreter_ask(const char *program, const char *text, const char *const *words,
				struct json_doc **out, struct asc_err *e)
{
	const char *argv[4 + MAX_WORDS + 1] = {program, "-B", "-c", text};
	struct buf said = {0};
	int status = 0;

	for (size_t i = 0; i < MAX_WORDS && words[i]; i++)
		argv[4 + i] = words[i];
	enum asc_status s = proc_run(argv, NULL, ANSWER_LIMIT_NS, ANSWER_BYTES, &said, &status, e);

	if (s == ASC_NOTFOUND)
		s = dir_exists(program)
			    ? asc_err_set(e, ASC_ABSENT,
					  "%s is a folder: name a program, such as %s/bin/python",
					  program, program)
			    : asc_err_set(e, ASC_ABSENT, "there is no program %s", program);
	else if (s == ASC_OK && status != 0)
		s = fail_as(program, text, status, &said, e);
	if (s == ASC_OK && json_open_text(program, buf_str(&said), said.len, out, e))
		s = e->status == ASC_INPUT
			    ? asc_err_set(e, ASC_ABSENT,
					  "%s is no Python: it does not answer as one", program)
			    : e->status;
	if (s == ASC_TIMEOUT) /* a program that answers late is no interpreter to use */
		s = e->status = ASC_ABSENT;
	buf_fini(&said);
	return s;
}

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

char *interpreter_setting(const char *variable)
{
	return str_print("%s\n%s\n%s\n%s", environment(variable), environment("PATH"),
			 environment("PYTHONPATH"), environment("TRITON_NPU_COMPILER_PATH"));
}
