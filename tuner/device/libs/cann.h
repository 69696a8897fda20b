/* Installations of CANN, Huawei's toolkit for Ascend NPUs, and the stand-in that this program
 * brings for machines without one. */
#ifndef ASCTUNE_DEVICE_LIBS_CANN_H
#define ASCTUNE_DEVICE_LIBS_CANN_H

#include "tuner/base/err.h"

/* The folder that $ASCTUNE_CANN (toolkit_cann.variable) names; NULL: none, libraries are where the
 * loader or the toolkit's own variables say. */
const char *cann_chosen(void);

/* Finds the folder with the libraries of the installation at `folder`, its lib64; *out is a heap
 * string. ASC_ABSENT where that has no runtime (libascendcl.so, libacl_rt.so). */
enum asc_status cann_libraries(const char *folder, char **out, struct asc_err *e);

/* Finds a library of the installation at `folder` (NULL: of the first that the toolkit's variables
 * name and that has it); *out is its path, a heap string, NULL where it is missing. ASC_ABSENT as
 * of cann_libraries(). */
enum asc_status cann_find_library(const char *folder, const char *file, char **out,
				  struct asc_err *e);

/* Finds the folder of the stand-in that belongs to this program; *out is a heap string. ASC_ABSENT
 * where it is not installed. */
enum asc_status cann_find_standin(char **out, struct asc_err *e);

#endif
