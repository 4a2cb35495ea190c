"""Runs inside a seat and loads what every Python bot loads."""

if __name__ == "__main__":
    import dominobot
    import grpc
    import numpy

    print(dominobot.__name__, grpc.__version__, numpy.__version__)
