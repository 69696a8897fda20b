/* Twin of kernel.py. */
#include "../npu/softmax.h"

SOFTMAX_TWIN(softmax, 0);
