#define KERNEL
#include "rows.h"
