#define KERNEL extern "C" __global__
#include "views.h"
