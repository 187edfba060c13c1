"""memcached_load.py PORT: clients that store, read back, replace and delete values for a few seconds."""

import random
import socket
import sys
import threading
import time

CLIENTS, SECONDS, KEYS = 8, 4, 300
failures = []


class Client:
    def __init__(self, number, port):
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=20).makefile("rwb")
        self.number = number
        self.stored = {}
        self.random = random.Random(number)

    def answer(self, request):
        self.stream.write(request + b"\r\n")
        self.stream.flush()
        return self.stream.readline().rstrip()

    def store(self, key):
        size = self.random.choice([0, 30, 100, 700, 1500, 9000, 60000, 700000])
        value = bytes([self.random.randrange(97, 123)]) * self.random.randint(0, size)
        answer = self.answer(b"set %s 0 0 %d\r\n%s" % (key, len(value), value))
        if answer == b"STORED":
            self.stored[key] = value
        elif not answer.startswith(b"SERVER_ERROR out of memory"):
            raise RuntimeError(f"set: {answer!r}")

    def read(self, key):
        line = self.answer(b"get " + key)
        if line == b"END":  # thrown out by the server, whose memory is small
            return
        length = int(line.split()[3])
        value = self.stream.read(length)
        if self.stream.readline() != b"\r\n" or self.stream.readline() != b"END\r\n":
            raise RuntimeError("get: a torn answer")
        if value != self.stored.get(key, value):
            raise RuntimeError(f"get: {key!r} has changed")

    def step(self):
        key = b"key_%d_%d" % (self.number, self.random.randrange(KEYS))
        kind = self.random.randrange(10)
        if kind < 4:
            self.store(key)
        elif kind < 9:
            self.read(key)
        else:
            self.answer(b"delete " + key)
            self.stored.pop(key, None)


def run(number, port, end):
    try:
        client = Client(number, port)
        while time.monotonic() < end:
            for _ in range(50):
                client.step()
        if len(client.stored) == 0:
            raise RuntimeError("nothing was stored")
    except Exception as error:  # noqa: BLE001: whatever it was, the main thread tells
        failures.append(f"client {number}: {error!r}")


def main():
    end = time.monotonic() + SECONDS
    threads = [
        threading.Thread(target=run, args=(number, int(sys.argv[1]), end)) for number in range(CLIENTS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())
