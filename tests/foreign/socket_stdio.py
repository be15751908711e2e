"""Joins stdin and stdout to a TCP port on this machine: stands in for a command that speaks MCP on stdio."""

import os
import socket
import sys
import threading

port = int(sys.argv[1])
connection = socket.create_connection(("127.0.0.1", port))


def inward():
    while data := sys.stdin.buffer.read1(65536):
        connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


threading.Thread(target=inward, daemon=True).start()
while data := connection.recv(65536):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
# Without waiting for the other thread, which may sit in a read.
os._exit(0)
