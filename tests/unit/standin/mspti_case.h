/* Functions of the stand-in's libmspti.so and libms_tools_ext.so, for its cases. */
#ifndef ASCTUNE_TESTS_UNIT_STANDIN_MSPTI_CASE_H
#define ASCTUNE_TESTS_UNIT_STANDIN_MSPTI_CASE_H

#include "tuner/device/libs/mspti_abi.h"

struct mspti_case {
#define X(member, symbol, result, parameters) result(*member) parameters;
	MSPTI_LIST(X) MSTX_LIST(X)
#undef X
};

extern struct mspti_case prof;

/* Opens the libraries of the folder "head" and finds their functions; ends the process where one
 * library is absent. */
void mspti_case_open(void);

#endif
