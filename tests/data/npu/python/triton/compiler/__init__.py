class ASTSource:
    def __init__(self, fn, signature, constants):
        self.fn, self.constants = fn, constants

    def make_ir(self, options, codegen, modules, context):
        elements = 1
        for name, value in self.constants.items():
            elements *= value if name.startswith("BLOCK") else 1
        return f'func.func @{self.fn.__name__}(tensor<{elements}xf32>) mix_mode = "aiv" crashes={self.constants.get("CRASHES", 0)}\n'
