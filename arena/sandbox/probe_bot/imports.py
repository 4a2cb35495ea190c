"""Runs inside a seat and loads what every Python bot loads."""

if __name__ == "__main__":
    import dominobot
    import grpc
    import numpy

    print(f"{dominobot.__name__}, grpcio {grpc.__version__}, numpy {numpy.__version__}")
