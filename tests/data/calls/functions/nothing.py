def nothing(y, n, scale, *, eps, mode, stream):
    pass
