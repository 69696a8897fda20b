#define KERNEL
#include "views.h"
