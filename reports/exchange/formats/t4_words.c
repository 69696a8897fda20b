#include "reports/exchange/formats/t4.h"

#include <string.h>

/* Words and statuses; a word is read as its first status. A planned configuration was not run and
 * has no record. */
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
	{"timeout", RESULT_SLOW, PHASE_MEASURE}, /* dropped early: its few samples are no time */
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
