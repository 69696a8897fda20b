#define KERNEL extern "C" __global__
#include "rows.h"
