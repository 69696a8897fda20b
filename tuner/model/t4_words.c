#include "tuner/model/t4.h"

#include <string.h>

/* The first status of a word is the one that it is read as. A planned configuration was not run,
 * and so is no result. */
static const struct {
	const char *word;
	enum result_status status;
	enum phase phase;
} words[] = {
	{"correct", RESULT_OK, PHASE_MEASURE},
	{"compile", RESULT_BUILD_FAILED, PHASE_BUILD},
	{"runtime", RESULT_LAUNCH_FAILED, PHASE_VERIFY},
	{"runtime", RESULT_LOAD_FAILED, PHASE_LOAD},
	{"runtime", RESULT_CRASHED, PHASE_VERIFY},
	{"timeout", RESULT_TIMEOUT, PHASE_VERIFY},
	{"timeout", RESULT_SLOW, PHASE_MEASURE}, /* given up early: its few samples are no time */
	{"timeout", RESULT_UNDECIDED, PHASE_MEASURE},
	{"correctness", RESULT_WRONG, PHASE_VERIFY},
	{"constraints", RESULT_PRUNED, PHASE_BUILD},
	{"constraints", RESULT_UNSUPPORTED, PHASE_BUILD},
};

const char *t4_invalidity(enum result_status s)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].status == s)
			return words[i].word;
	return NULL;
}

bool t4_invalidity_parse(const char *word, enum result_status *status, enum phase *phase)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i].word, word) == 0) {
			*status = words[i].status;
			*phase = words[i].phase;
			return true;
		}
	return false;
}
