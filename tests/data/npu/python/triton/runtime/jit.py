import inspect


class Parameter:
    def __init__(self, parameter):
        import triton.language as tl

        self.name = parameter.name
        self.is_constexpr = parameter.annotation is tl.constexpr
        self.has_default = parameter.default is not inspect.Parameter.empty
        self.default = parameter.default
        self.annotation_type = ""
        self.is_const = self.do_not_specialize = self.do_not_specialize_on_alignment = False


class JITFunction:
    def __init__(self, fn):
        self.fn = fn
        self.__name__ = fn.__name__
        self.params = [Parameter(p) for p in inspect.signature(fn).parameters.values()]
        self.src = inspect.getsource(fn)
        self.starting_line_number = inspect.getsourcelines(fn)[1]
        self.cache_key = ""
        self.used_global_vals = {}
