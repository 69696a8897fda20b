"""A package with kernels of the parameters of SGLang 0.5.23's, for tests."""
