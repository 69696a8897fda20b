"""A library whose kernels name all that a kernel may: nothing of this package is there where the kernels that were written out are compiled."""
