"""A package with a kernel of the parameters of vLLM 0.33.0's, for tests."""
