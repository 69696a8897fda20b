#include "tuner/build/worker_python.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/build/build_texts.h"
#include "tuner/build/triton_python.h"

#define LIBRARY "libasctune_worker.so"

static const char *named(void)
{
	const char *program = getenv(TRITON_PYTHON_VARIABLE);

	return program && *program ? program : NULL;
}

bool worker_python_is_named(void)
{
	return named() != NULL;
}

/* The library lies beside the program in a build, whose tests are in a folder there; else where it
 * is installed. A wheel has it in `lib`, whatever the machine calls that folder. */
static enum asc_status find_library(char **out, struct asc_err *e)
{
	static const char *const places[] = {LIBRARY, "../" LIBRARY,
					     "../" ASCTUNE_LIBRARIES "/" LIBRARY,
					     "../lib/asctune/" LIBRARY, NULL};

	if (places_find_own(places, out, e))
		return e->status;
	if (*out)
		return ASC_OK;
	return asc_err_set(e, ASC_ABSENT,
			   "the library of a Python worker is not installed: there is no "
			   "../%s/" LIBRARY " beside this program",
			   ASCTUNE_LIBRARIES);
}

struct facts {
	const struct json_node *interpreter;
	const char *reason; /* why it cannot be a worker; NULL: it can */
};

static enum asc_status take_facts(const struct json_node *root, const char *program,
				  struct worker_python *out, struct asc_err *e)
{
#define AT(member) offsetof(struct facts, member)
	static const struct json_field fields[] = {
		{"interpreter", JSON_AS_NODE, true, AT(interpreter), NULL, NULL},
		{"reason", JSON_AS_STRING, false, AT(reason), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"facts", fields};
	struct facts f = {0};

	if (json_read_object(root, &spec, &f, e) ||
	    interpreter_read(f.interpreter, &out->interpreter, e))
		return e->status;
	return f.reason ? asc_err_set(e, ASC_ABSENT, "%s (%s) %s", program, out->interpreter.python,
				      f.reason)
			: ASC_OK;
}

static void python_fini(struct worker_python *p)
{
	interpreter_fini(&p->interpreter);
	free(p->library);
	*p = (struct worker_python){0};
}

static enum asc_status ask(const char *program, struct worker_python *out, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	char *text;

	if (find_library(&out->library, e))
		return e->status;
	text = str_print("%s\nprint_facts(sys.argv[1])\n", interpreter_text);
	const char *words[] = {out->library, NULL};
	enum asc_status s =
		text ? interpreter_ask(program, text, words, &doc, e) : asc_err_nomem(e);

	if (s == ASC_OK)
		s = take_facts(json_root(doc), program, out, e);
	json_close(doc);
	free(text);
	return s;
}

enum asc_status worker_python_get(const struct worker_python **out, struct asc_err *e)
{
	static struct {
		char *asked;
		struct worker_python python;
		struct asc_err failure;
	} last;
	char *asked = interpreter_setting(TRITON_PYTHON_VARIABLE);

	if (!asked)
		return asc_err_nomem(e);
	if (last.asked && strcmp(last.asked, asked) == 0) {
		free(asked);
	} else {
		python_fini(&last.python);
		free(last.asked);
		last.asked = asked;
		last.failure = (struct asc_err){0};
		last.failure.status =
			ask(named() ? named() : "python3", &last.python, &last.failure);
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
