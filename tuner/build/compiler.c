#include "tuner/build/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/proc.h"
#include "tuner/build/builder.h"

#define VERSION_LIMIT_NS INT64_C(10000000000)

enum { VERSION_BYTES = 4096 };

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* Adds the path of a program; false: there is none. */
static bool add_program(struct build_command *c, const char *name)
{
	char *path = proc_find(name);

	if (path)
		build_command_add(c, "%s", path);
	free(path);
	return path != NULL;
}

static void add_setting(struct build_command *c, const char *setting)
{
	char *text = str_dup(setting), *rest = NULL;
	const char *word = text ? strtok_r(text, " ", &rest) : NULL;

	if (!text)
		asc_err_nomem(&c->failure);
	else if (!add_program(c, word))
		asc_err_set(&c->failure, ASC_ABSENT, "CC=%s: there is no program %s", setting,
			    word);
	else
		while ((word = strtok_r(NULL, " ", &rest)) != NULL)
			build_command_add(c, "%s", word);
	free(text);
}

void compiler_add(struct build_command *c)
{
	static const char *const names[] = {"cc", "gcc", "clang", NULL};
	const char *setting = environment("CC");
	size_t i = 0;

	if (setting[strspn(setting, " ")]) {
		add_setting(c, setting);
		return;
	}
	while (names[i] && !add_program(c, names[i]))
		i++;
	if (!names[i])
		asc_err_set(&c->failure, ASC_ABSENT,
			    "no C compiler in PATH (looked for cc, gcc, clang)");
}

bool compiler_check(char *reason, size_t size)
{
	struct build_command c;

	build_command_init(&c);
	compiler_add(&c);
	bool ok = !c.failure.status;
	if (!ok)
		snprintf(reason, size, "%s", c.failure.text);
	build_command_fini(&c);
	return ok;
}

/* Appends the first line of what the compiler says to `--version`. */
static enum asc_status ask_version(struct build_command *c, struct buf *out, struct asc_err *e)
{
	struct buf words = {0};
	char text[80];
	int status = 0;
	/* A `char **` does not convert to `const char *const *` by itself, in C. */
	const char *argv[BUILD_MAX_ARGV] = {0};

	build_command_add(c, "--version");
	enum asc_status s = build_command_check(c, e);
	for (size_t i = 0; i < c->argc; i++)
		argv[i] = c->argv[i];
	if (s == ASC_OK)
		s = proc_run(argv, VERSION_LIMIT_NS, VERSION_BYTES, &words, &status, e);
	if (s == ASC_OK && status != 0)
		s = asc_err_set(e, ASC_CHILD, "%s --version %s", c->argv[0],
				proc_print_status(status, text, sizeof text));
	for (size_t i = 0; i < c->argc && s == ASC_OK; i++)
		buf_print(out, "%s ", c->argv[i]);
	if (s == ASC_OK)
		buf_add(out, buf_str(&words), strcspn(buf_str(&words), "\n"));
	buf_fini(&words);
	return s;
}

static enum asc_status ask_identity(struct buf *out, struct asc_err *e)
{
	struct build_command c;

	build_command_init(&c);
	compiler_add(&c);
	enum asc_status s = ask_version(&c, out, e);
	build_command_fini(&c);
	return s;
}

enum asc_status compiler_identity(struct buf *out, struct asc_err *e)
{
	/* The last question and its answer: 200 configurations ask the same. */
	static char *asked, *answer;
	char *question = str_print("%s\n%s", environment("CC"), environment("PATH"));
	struct buf text = {0};

	if (!question)
		return asc_err_nomem(e);
	if (asked && strcmp(asked, question) == 0) {
		free(question);
	} else {
		if (ask_identity(&text, e) || buf_check(&text, e)) {
			free(question);
			buf_fini(&text);
			return e->status;
		}
		free(asked);
		free(answer);
		asked = question;
		answer = buf_take(&text);
	}
	buf_add_str(out, answer);
	return buf_check(out, e);
}
