/* The script for bash, 4.4 and later. */

#include "tuner/cmd/command.h"
#include "tuner/cmd/completion/completion.h"

/* The words of bash break at "=": --option=value comes as three of them. */
static const char head[] =
	"# Completes asctune in bash: made by `asctune completion bash`.\n"
	"_asctune()\n"
	"{\n"
	"\tlocal current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} "
	"paths=none words=\n"
	"\tif [[ $current == = ]]; then\n"
	"\t\tcurrent=\n"
	"\telif [[ $option == = ]]; then\n"
	"\t\toption=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n"
	"\t((COMP_CWORD > 1)) || option=\n"
	"\tcase \"${COMP_WORDS[1]} $option\" in\n";

static const char tail[] =
	"\tesac\n"
	"\tCOMPREPLY=()\n"
	"\t[[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
	"\tcase $paths in\n"
	"\tnone) return ;;\n"
	"\tfiles) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$current\") ;;\n"
	"\tworkloads) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- \"$current\"\n"
	"\t\tcompgen -f -X '!*.json' -- \"$current\") ;;\n"
	"\tfolders) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- \"$current\") ;;\n"
	"\tprograms) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- \"$current\") ;;\n"
	"\tesac\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"}\n"
	"complete -F _asctune asctune\n";

static void write_completion(struct completion *c, struct buf *out)
{
	buf_print(out, " paths=%s words=\"", completion_paths_name(c->paths));
	completion_take_words(c, "", out);
	buf_add_char(out, '"');
}

/* An option whose value may be left out takes it behind "=" alone. */
static void write_value(const struct command *c, const struct argp_option *o, struct buf *out)
{
	struct completion value;

	if (!o->name || !o->arg || (o->flags & OPTION_ARG_OPTIONAL))
		return;
	completion_find_value(o, &value);
	buf_print(out, "\t\"%s --%s\"", c->name, o->name);
	if (completion_has_letter(o))
		buf_print(out, " | \"%s -%c\"", c->name, o->key);
	buf_add_char(out, ')');
	write_completion(&value, out);
	buf_add_str(out, " ;;\n");
}

static void write_command(const struct command *c, struct buf *out)
{
	struct completion arguments;

	completion_find_arguments(c->argp, &arguments);
	/* Cases are tried in order: values of options stand before the command's own pattern. */
	for (const struct argp_option *o = c->argp->options; o && (o->name || o->doc); o++)
		write_value(c, o, out);
	buf_print(out, "\t\"%s \"*) if [[ $current == -* ]]; then words=\"--help", c->name);
	for (const struct argp_option *o = c->argp->options; o && (o->name || o->doc); o++)
		if (o->name)
			buf_print(out, " --%s", o->name);
	buf_add_str(out, "\"; else");
	write_completion(&arguments, out);
	buf_add_str(out, "; fi ;;\n");
}

void completion_write_bash(struct buf *out)
{
	buf_add_str(out, head);
	buf_add_str(out, "\t*\" \") words=\"--help --version");
	for (size_t i = 0; command_list[i]; i++)
		if (command_list[i]->argp)
			buf_print(out, " %s", command_list[i]->name);
	buf_add_str(out, "\" ;;\n");
	for (size_t i = 0; command_list[i]; i++)
		if (command_list[i]->argp)
			write_command(command_list[i], out);
	buf_add_str(out, tail);
}
