/* A temporary folder of a test program. */
#ifndef ASCTUNE_TESTS_UNIT_BUILD_FOLDER_H
#define ASCTUNE_TESTS_UNIT_BUILD_FOLDER_H

#include <stdbool.h>

/* Makes the folder, NAME-XXXXXX in $TMPDIR; false when it cannot. */
bool folder_init(const char *name);
void folder_fini(void);

/* Path in the folder, one of the last four; of the folder itself for "". */
const char *in_folder(const char *name);

#endif
