class ir:
    @staticmethod
    def context():
        return None

    @staticmethod
    def load_dialects(context):
        pass
