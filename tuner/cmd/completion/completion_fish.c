/* The script for fish, 3.0 and later. */
#include <string.h>

#include "tuner/cmd/command.h"
#include "tuner/cmd/completion/completion.h"

#define IS_FIRST "complete -c asctune -n '__asctune_is \"\"'"

static const char head[] =
	"# Completes asctune in fish: made by `asctune completion fish`.\n"
	"function __asctune_is\n"
	"\tset -l words (commandline -opc)\n"
	"\ttest \"$words[2]\" = \"$argv[1]\"\n"
	"end\n"
	"complete -c asctune -e\n"
	"complete -c asctune -f\n" IS_FIRST " -l help\n" IS_FIRST " -l version\n";

/* Functions of fish that list paths; files of any kind are listed by fish itself. */
static const char *const lists[] = {[PATHS_NONE] = "",
				    [PATHS_ANY] = "",
				    [PATHS_WORKLOADS] = "(__fish_complete_suffix .json)",
				    [PATHS_FOLDERS] = "(__fish_complete_directories)",
				    [PATHS_PROGRAMS] = "(__fish_complete_command)"};

static void write_text(const char *text, size_t n, struct buf *out)
{
	buf_add_char(out, '\'');
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\'' || text[i] == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, text[i]);
	}
	buf_add_char(out, '\'');
}

static void begin_line(const struct command *c, struct buf *out)
{
	buf_print(out, "complete -c asctune -n '__asctune_is %s'", c->name);
}

static void write_completion(struct completion *c, struct buf *out)
{
	buf_print(out, "%s -a '%s", c->paths == PATHS_ANY ? " -F" : " -f", lists[c->paths]);
	completion_take_words(c, " ", out);
	buf_add_char(out, '\'');
}

static void write_option(const struct command *c, const struct argp_option *o, struct buf *out)
{
	struct completion value;

	begin_line(c, out);
	buf_print(out, " -l %s", o->name);
	if (completion_has_letter(o))
		buf_print(out, " -s %c", o->key);
	/* -r takes the next word as the value, which one that may be left out never is. */
	if (o->arg && !(o->flags & OPTION_ARG_OPTIONAL)) {
		buf_add_str(out, " -r");
		completion_find_value(o, &value);
		write_completion(&value, out);
	}
	buf_add_str(out, " -d ");
	write_text(o->doc, completion_clause(o->doc), out);
	buf_add_char(out, '\n');
}

static void write_command(const struct command *c, struct buf *out)
{
	struct completion arguments;

	buf_print(out, IS_FIRST " -a %s -d ", c->name);
	write_text(c->summary, strlen(c->summary), out);
	buf_add_char(out, '\n');
	begin_line(c, out);
	buf_add_str(out, " -l help\n");
	for (const struct argp_option *o = c->argp->options; o && (o->name || o->doc); o++)
		if (o->name)
			write_option(c, o, out);
	begin_line(c, out);
	completion_find_arguments(c->argp, &arguments);
	write_completion(&arguments, out);
	buf_add_char(out, '\n');
}

void completion_write_fish(struct buf *out)
{
	buf_add_str(out, head);
	for (size_t i = 0; command_list[i]; i++)
		if (command_list[i]->argp)
			write_command(command_list[i], out);
}
