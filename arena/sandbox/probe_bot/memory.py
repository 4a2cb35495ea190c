"""Runs inside a seat and takes memory until it is stopped."""

if __name__ == "__main__":
    hoard = []
    for _ in range(4096):
        hoard.append(b"x" * 1024 * 1024)
    print("took it all")
