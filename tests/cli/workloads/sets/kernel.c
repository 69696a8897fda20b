#define KERNEL
#include "gather.h"
