/* Our declarations of NVRTC against the toolkit's. Compiled by ci/abi-check, never run. */
#include <nvrtc.h>

/* Ours have the toolkit's names. */
#define NVRTC_SUCCESS              OWN_SUCCESS
#define NVRTC_ERROR_OUT_OF_MEMORY  OWN_OUT_OF_MEMORY
#define NVRTC_ERROR_INVALID_OPTION OWN_INVALID_OPTION
#define NVRTC_ERROR_COMPILATION    OWN_COMPILATION
#include "tuner/device/libs/nvrtc_library.h"
#undef NVRTC_SUCCESS
#undef NVRTC_ERROR_OUT_OF_MEMORY
#undef NVRTC_ERROR_INVALID_OPTION
#undef NVRTC_ERROR_COMPILATION

#define SAME(what) _Static_assert(what, #what)

SAME((int)OWN_SUCCESS == (int)NVRTC_SUCCESS);
SAME((int)OWN_OUT_OF_MEMORY == (int)NVRTC_ERROR_OUT_OF_MEMORY);
SAME((int)OWN_INVALID_OPTION == (int)NVRTC_ERROR_INVALID_OPTION);
SAME((int)OWN_COMPILATION == (int)NVRTC_ERROR_COMPILATION);
SAME(sizeof(nvrtcResult) == sizeof(int));
SAME(sizeof(nvrtcProgram) == sizeof(nvrtc_program));

/* A function of theirs takes what the member of ours takes: enumerations are int there. */
#define TAKES(function, ...) SAME(sizeof(function(__VA_ARGS__)) == sizeof(int))
#define STRINGS              (const char *const *)0

TAKES(nvrtcVersion, (int *)0, (int *)0);
TAKES(nvrtcCreateProgram, (nvrtcProgram *)0, (const char *)0, (const char *)0, 0, STRINGS, STRINGS);
TAKES(nvrtcDestroyProgram, (nvrtcProgram *)0);
TAKES(nvrtcCompileProgram, (nvrtcProgram)0, 0, STRINGS);
TAKES(nvrtcGetProgramLogSize, (nvrtcProgram)0, (size_t *)0);
TAKES(nvrtcGetProgramLog, (nvrtcProgram)0, (char *)0);
TAKES(nvrtcGetCUBINSize, (nvrtcProgram)0, (size_t *)0);
TAKES(nvrtcGetCUBIN, (nvrtcProgram)0, (char *)0);
SAME(__builtin_types_compatible_p(__typeof__(nvrtcGetErrorString((nvrtcResult)0)), const char *));
