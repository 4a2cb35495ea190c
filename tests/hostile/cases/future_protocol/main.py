"""Speaks a protocol that is not there yet."""

from dominobot import Bot, Play, View, dialer, run


class FutureProtocol(Bot):
    def choose(self, view: View) -> Play:
        return view.legal[0]


if __name__ == "__main__":
    dialer.PROTOCOL = 2
    run(FutureProtocol)
