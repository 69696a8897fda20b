/* Asks an exported header the questions of a file, one a line: the rule's number, or -1. C and C++.
 */
#include "rules.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_WORDS = 64 };

static size_t count_of(const char *text)
{
	return (size_t)atoi(text);
}

static const char *name_of(const char *text)
{
	return strcmp(text, "-") == 0 ? 0 : text;
}

static int ask(char **word)
{
	struct rules_type types[2];
	struct rules_size sizes[3];
	int64_t active[3];
	const char *op = *word++, *device = *word++, *model = name_of(*word++);
	const size_t n_types = count_of(*word++);
	size_t n_sizes, n_active, i;

	for (i = 0; i < n_types; i++, word += 2) {
		types[i].name = name_of(word[0]);
		types[i].type = word[1];
	}
	n_sizes = count_of(*word++);
	for (i = 0; i < n_sizes; i++, word += 2) {
		sizes[i].name = word[0];
		sizes[i].value = atoi(word[1]);
	}
	n_active = count_of(*word++);
	for (i = 0; i < n_active; i++)
		active[i] = atoi(*word++);
	const struct rules_rule *rule =
		rules_find(op, device, model, types, n_types, sizes, n_sizes, active, n_active);
	return rule ? (int)rules_find_parameter(rule, "R", -1) : -1;
}

int main(int argc, char **argv)
{
	char line[1024], *word[MOST_WORDS];
	FILE *f = argc > 1 ? fopen(argv[1], "r") : 0;

	while (f && fgets(line, sizeof line, f)) {
		size_t n = 0;

		for (char *w = strtok(line, "\t\n"); w && n < MOST_WORDS; w = strtok(0, "\t\n"))
			word[n++] = w;
		printf("%d\n", ask(word));
	}
	return f ? fclose(f) : 1;
}
