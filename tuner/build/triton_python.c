#include "tuner/build/triton_python.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/build/build_texts.h"
#include "tuner/build/builder.h"

/* ---- what the interpreter says ---- */

struct facts {
	const char *triton, *tools;
	const char *reason; /* why its Triton cannot be used; NULL: it can */
	const struct json_node *interpreter, *foreign, *planners;
};

static enum asc_status take_planner(const struct json_node *n, struct planner *out,
				    struct asc_err *e)
{
	const struct json_node *name = json_find(n, "name"), *targets = json_find(n, "targets");
	struct buf lines = {0};
	const char *text = "";
	enum asc_status s = name && targets ? json_get_string(name, &text, e)
					    : asc_err_set(e, ASC_INPUT, "a planner without a name");

	for (const struct json_node *t = targets ? json_first(targets) : NULL; t && s == ASC_OK;
	     t = json_next(t)) {
		const char *model;

		s = json_get_string(t, &model, e);
		if (s == ASC_OK)
			buf_print(&lines, "%s\n", model);
	}
	out->name = str_dup(text);
	out->targets = buf_take(&lines);
	return s ? s : out->name && out->targets ? ASC_OK : asc_err_nomem(e);
}

/* Takes the planners, and keeps what the interpreter says of them for its server. */
static enum asc_status take_planners(const struct json_node *list, struct triton_python *out,
				     struct asc_err *e)
{
	struct buf facts = {0};

	if (!list)
		return ASC_OK;
	if (json_expect(list, JSON_ARRAY, e))
		return e->status;
	out->planners = calloc(json_count(list) + 1, sizeof *out->planners);
	if (!out->planners)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(list); i; i = json_next(i))
		if (take_planner(i, &out->planners[out->n_planners++], e))
			return e->status;
	json_write_node(&(struct json_writer){.out = &facts}, NULL, list);
	out->facts = buf_take(&facts);
	return out->facts ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status take_facts(const struct json_node *root, const char *program,
				  struct triton_python *out, struct asc_err *e)
{
#define AT(member) offsetof(struct facts, member)
	static const struct json_field fields[] = {
		{"interpreter", JSON_AS_NODE, true, AT(interpreter), NULL, NULL},
		{"triton", JSON_AS_STRING, false, AT(triton), NULL, NULL},
		{"tools", JSON_AS_STRING, false, AT(tools), NULL, NULL},
		{"reason", JSON_AS_STRING, false, AT(reason), NULL, NULL},
		{"foreign", JSON_AS_NODE, true, AT(foreign), NULL, NULL},
		{"planners", JSON_AS_NODE, false, AT(planners), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"facts", fields};
	struct facts f = {.tools = ""};

	if (json_read_object(root, &spec, &f, e))
		return e->status;
	if (interpreter_read(f.interpreter, &out->interpreter, e))
		return e->status;
	/* Its Triton may be there and too old: then it says so itself. */
	if (f.reason || !f.triton)
		return asc_err_set(e, ASC_ABSENT, "%s (%s) %s", program, out->interpreter.python,
				   f.reason ? f.reason : "has no Triton");
	out->identity = str_print("%s, %s, %s", out->interpreter.python, f.triton, f.tools);
	out->triton = str_dup(f.triton);
	if (!out->identity || !out->triton)
		return asc_err_nomem(e);
	if (interpreter_read_texts(f.foreign, &out->foreign, e))
		return e->status;
	return take_planners(f.planners, out, e);
}

static void python_fini(struct triton_python *p)
{
	for (size_t i = 0; i < p->n_planners; i++) {
		free(p->planners[i].name);
		free(p->planners[i].targets);
	}
	free(p->planners);
	free(p->facts);
	interpreter_free_texts(p->foreign);
	interpreter_fini(&p->interpreter);
	free(p->identity);
	free(p->triton);
	*p = (struct triton_python){0};
}

/* The program of an interpreter, as one text. */
static char *text_of(enum triton_device device)
{
	return str_print("%s\n%s\n%s\n%s", interpreter_text, triton_helper,
			 device == TRITON_NPU ? triton_npu : triton_cuda, triton_serve);
}

static enum asc_status ask(const char *program, enum triton_device device,
			   struct triton_python *out, struct asc_err *e)
{
	static const char *const words[] = {"probe", NULL};
	struct json_doc *doc;
	char *text = text_of(device);
	enum asc_status s =
		text ? interpreter_ask(program, text, words, &doc, e) : asc_err_nomem(e);

	free(text);
	if (s)
		return s;
	out->device = device;
	s = take_facts(json_root(doc), program, out, e);
	json_close(doc);
	if (s)
		python_fini(out);
	return s;
}

/* ---- the last answer ---- */

enum asc_status triton_python_get(enum triton_device device, const struct triton_python **out,
				  struct asc_err *e)
{
	static const char *const variables[] = {
		[TRITON_CUDA] = TRITON_PYTHON_VARIABLE, [TRITON_NPU] = TRITON_PYTHON_NPU_VARIABLE};
	static struct {
		char *asked;
		struct triton_python python;
		struct asc_err failure;
	} answers[2], *last;
	const char *program = getenv(variables[device]);
	char *asked = interpreter_setting(variables[device]);

	last = &answers[device];
	if (!asked)
		return asc_err_nomem(e);
	if (last->asked && strcmp(last->asked, asked) == 0) {
		free(asked);
	} else {
		python_fini(&last->python);
		free(last->asked);
		last->asked = asked;
		last->failure.status = ask(program && *program ? program : "python3", device,
					   &last->python, &last->failure);
	}
	*out = &last->python;
	if (last->failure.status == ASC_OK)
		return ASC_OK;
	*e = last->failure;
	if (e->status != ASC_ABSENT) { /* a failure of the moment: the next call asks again */
		free(last->asked);
		last->asked = NULL;
	}
	return e->status;
}

const struct planner *triton_python_planner(const struct triton_python *p, const char *model)
{
	const size_t n = strlen(model);

	for (size_t i = 0; i < p->n_planners; i++)
		for (const char *at = p->planners[i].targets; *at; at += strcspn(at, "\n") + 1)
			if (strncmp(at, model, n) == 0 && at[n] == '\n')
				return &p->planners[i];
	return NULL;
}

void triton_python_serve(const struct triton_python *p, struct build_command *out)
{
	char *text = text_of(p->device);

	if (!text && !out->failure.status)
		asc_err_nomem(&out->failure);
	build_command_add(out, "%s", p->interpreter.executable);
	build_command_add(out, "-B"); /* modules are compiled without a trace beside them */
	build_command_add(out, "-c");
	build_command_add(out, "%s", text ? text : "");
	build_command_add(out, "serve");
	if (p->facts)
		build_command_add(out, "%s", p->facts);
	out->n_server = out->argc;
	out->reads = p->interpreter.reads;
	free(text);
}
