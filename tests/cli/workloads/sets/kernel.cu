#define KERNEL extern "C" __global__
#include "gather.h"
