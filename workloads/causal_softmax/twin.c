/* Twin of kernel.py. */
#include "../npu/softmax.h"

SOFTMAX_TWIN(causal_softmax, 1);
