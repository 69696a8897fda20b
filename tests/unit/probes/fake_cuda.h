/* A libcuda of one GPU, whose kernels do nothing. */
#ifndef ASCTUNE_TESTS_UNIT_PROBES_FAKE_CUDA_H
#define ASCTUNE_TESTS_UNIT_PROBES_FAKE_CUDA_H

#define FAKE_CUDA_BUS "0000:5A:00.0"

#endif
