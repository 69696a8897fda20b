/* The script for zsh, 5.0 and later: what _arguments takes. */
#include <stdio.h>
#include <string.h>

#include "tuner/cmd/command.h"
#include "tuner/cmd/completion/completion.h"

static const char head[] = "#compdef asctune\n"
			   "# Completes asctune in zsh: made by `asctune completion zsh`.\n"
			   "_asctune_value() { # PATHS WORD...\n"
			   "\tlocal paths=$1\n"
			   "\tshift\n"
			   "\t(( $# )) && compadd -- \"$@\"\n"
			   "\tcase $paths in\n"
			   "\tfiles) _files ;;\n"
			   "\tworkloads) _files -g '*.json' ;;\n"
			   "\tfolders) _files -/ ;;\n"
			   "\tprograms) _command_names -e ;;\n"
			   "\tesac\n"
			   "}\n"
			   "_asctune() {\n"
			   "\tlocal -a commands=(\n";

static const char middle[] = "\t)\n"
			     "\tif (( CURRENT == 2 )); then\n"
			     "\t\t_describe command commands\n"
			     "\t\tcompadd -- --help --version\n"
			     "\t\treturn\n"
			     "\tfi\n"
			     "\tlocal command=$words[2]\n"
			     "\tshift words\n"
			     "\t(( CURRENT-- ))\n"
			     "\tcase $command in\n";

/* Loaded by its name, the file is the function itself at the first call. */
static const char tail[] = "\tesac\n"
			   "}\n"
			   "if [[ $funcstack[1] == _asctune ]]; then\n"
			   "\t_asctune \"$@\"\n"
			   "else\n"
			   "\tcompdef _asctune asctune\n"
			   "fi\n";

/* Writes a text that stands between ' in the shell and between colons or brackets in a
 * specification. */
static void write_text(const char *text, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\'')
			buf_add_str(out, "'\\'");
		else if (text[i] == ':' || text[i] == '[' || text[i] == ']' || text[i] == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, text[i]);
	}
}

static void write_action(struct completion *c, struct buf *out)
{
	buf_print(out, ": _asctune_value %s", completion_paths_name(c->paths));
	completion_take_words(c, " ", out);
}

/* Writes one name of an option, what stands between it and its value, its help and what the value
 * may be. */
static void write_form(const struct argp_option *o, const char *name, const char *between,
		       struct buf *out)
{
	const bool optional = o->flags & OPTION_ARG_OPTIONAL;
	struct completion value;

	buf_print(out, "%s%s%s[", name, o->arg ? between : "", optional ? "-" : "");
	write_text(o->doc, completion_clause(o->doc), out);
	buf_add_char(out, ']');
	if (!o->arg)
		return;
	completion_find_value(o, &value);
	buf_add_str(out, optional ? "::" : ":");
	write_text(o->arg, strlen(o->arg), out);
	write_action(&value, out);
}

static void write_option(const struct argp_option *o, struct buf *out)
{
	char before[80] = "", name[80];

	/* "*" may come again; "(-x --name)" is not offered once one of its names stands there. */
	if (o->flags & COMMAND_REPEATABLE)
		snprintf(before, sizeof before, "*");
	else if (completion_has_letter(o))
		snprintf(before, sizeof before, "(-%c --%s)", o->key, o->name);
	buf_print(out, " \\\n\t\t\t'%s", before);
	snprintf(name, sizeof name, "--%s", o->name);
	write_form(o, name, "=", out);
	buf_add_char(out, '\'');
	if (!completion_has_letter(o))
		return;
	buf_print(out, " \\\n\t\t\t'%s", before);
	snprintf(name, sizeof name, "-%c", o->key);
	write_form(o, name, "+", out);
	buf_add_char(out, '\'');
}

static void write_command(const struct command *c, struct buf *out)
{
	struct completion arguments;

	buf_print(out, "\t%s)\n\t\t_arguments '(- *)--help[says what there is]'", c->name);
	for (const struct argp_option *o = c->argp->options; o && (o->name || o->doc); o++)
		if (o->name)
			write_option(o, out);
	buf_add_str(out, " \\\n\t\t\t'*:argument");
	completion_find_arguments(c->argp, &arguments);
	write_action(&arguments, out);
	buf_add_str(out, "'\n\t\t;;\n");
}

void completion_write_zsh(struct buf *out)
{
	buf_add_str(out, head);
	for (size_t i = 0; command_list[i]; i++) {
		const struct command *c = command_list[i];

		if (!c->argp)
			continue;
		buf_print(out, "\t\t'%s:", c->name);
		write_text(c->summary, strlen(c->summary), out);
		buf_add_str(out, "'\n");
	}
	buf_add_str(out, middle);
	for (size_t i = 0; command_list[i]; i++)
		if (command_list[i]->argp)
			write_command(command_list[i], out);
	buf_add_str(out, tail);
}
