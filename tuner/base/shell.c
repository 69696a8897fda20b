#include "tuner/base/shell.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "tuner/base/buf.h"

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=,./:@%";

	return *word && word[strspn(word, plain)] == '\0';
}

void shell_add_word(struct buf *out, const char *word)
{
	if (is_plain(word)) {
		buf_add_str(out, word);
		return;
	}
	buf_add_char(out, '\'');
	for (; *word; word++)
		if (*word == '\'')
			buf_add_str(out, "'\\''");
		else
			buf_add_char(out, *word);
	buf_add_char(out, '\'');
}

void shell_add_argument(struct buf *out, const char *word)
{
	if (out->len)
		buf_add_char(out, ' ');
	shell_add_word(out, word);
}

static char program[PATH_MAX] = "asctune";

const char *shell_program(void)
{
	return program;
}

void shell_set_program(const char *word)
{
	struct buf quoted = {0};

	if (word && *word)
		shell_add_word(&quoted, word);
	if (quoted.len > 0 && quoted.len < sizeof program && !quoted.failed)
		memcpy(program, quoted.data, quoted.len + 1);
	buf_fini(&quoted);
}

void shell_add_program(struct buf *out)
{
	if (out->len)
		buf_add_char(out, ' ');
	buf_add_str(out, program);
}

void shell_add_option(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	shell_add_argument(out, name);
	shell_add_argument(out, value);
}
