#include "tuner/cmd/terminal/ink.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *ink_begin(enum ink ink)
{
	static const char *const codes[] = {
		[INK_PLAIN] = "",          [INK_STRONG] = "\033[1m", [INK_DIM] = "\033[2m",
		[INK_GOOD] = "\033[32m",   [INK_WARN] = "\033[33m",  [INK_BAD] = "\033[31m",
		[INK_COMMAND] = "\033[36m"};

	return codes[ink];
}

bool ink_is_terminal(FILE *to)
{
	const char *term = getenv("TERM");

	return isatty(fileno(to)) && term && *term && strcmp(term, "dumb") != 0;
}

bool ink_wanted(FILE *to)
{
	const char *refused = getenv("NO_COLOR");

	return !(refused && *refused) && ink_is_terminal(to);
}
