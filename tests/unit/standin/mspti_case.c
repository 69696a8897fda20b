#include "mspti_case.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "standin_case.h"

struct mspti_case prof;

void mspti_case_open(void)
{
	void *library = standin_case_open("head", "libmspti.so"),
	     *ranges = standin_case_open("head", "libms_tools_ext.so");

	if (!HOLDS(library && ranges))
		exit(1);
#define X(member, symbol, result, parameters) *(void **)&prof.member = dlsym(library, #symbol);
	MSPTI_LIST(X)
#undef X
#define X(member, symbol, result, parameters) *(void **)&prof.member = dlsym(ranges, #symbol);
	MSTX_LIST(X)
#undef X
}
