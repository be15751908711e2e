"""A push service and a browser that are not ours: checks the sender's token (py-vapid), decrypts the body (http-ece).

Strict as push services are: anything wrong is answered by the status that RFC 8030 and RFC 8292 name, with the reason.

One JSON object a line on stdout: {"event": "ready", "port": N, "p256dh": ..., "auth": ...}, then for each request
{"event": "push", ...} or {"event": "refused", ...}. Plaintexts come as base64.
"""

import argparse
import base64
import http.server
import json
import os
import re
import sys
import threading
import time

import http_ece
import py_vapid
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

BODY_BYTES_MAX = 4096
TOKEN_SECONDS_MAX = 12 * 3600
lock = threading.Lock()


def say(**what):
    with lock:
        print(json.dumps(what), flush=True)


def encoded(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


private = ec.generate_private_key(ec.SECP256R1())
point = private.public_key().public_bytes(
    serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
)
auth_secret = os.urandom(16)


class Refused(Exception):
    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


def token_of(header, key, origin):
    """The claims of a token that is good for us."""
    if not header or not header.lower().startswith("vapid "):
        raise Refused(401, "no vapid token")
    parts = dict(part.strip().split("=", 1) for part in header.split(" ", 1)[1].split(","))
    try:
        good = py_vapid.Vapid02.verify(header)
    except Exception as error:
        raise Refused(401, f"py-vapid cannot read it: {error}") from error
    if not good:
        raise Refused(403, "the signature is not of that key")
    if parts["k"] != key:
        raise Refused(403, "the browser subscribed with another key")
    head, claims = (json.loads(decoded(part)) for part in parts["t"].split(".")[:2])
    if head.get("alg") != "ES256" or claims.get("aud") != origin:
        raise Refused(403, f"alg {head.get('alg')}, aud {claims.get('aud')}, not {origin}")
    if not 0 < claims["exp"] - time.time() <= TOKEN_SECONDS_MAX:
        raise Refused(403, f"exp {claims['exp']}")
    if not py_vapid._check_sub(claims.get("sub", "")):
        raise Refused(403, f"BadJwtToken: sub {claims.get('sub')}")
    return claims


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            claims = token_of(self.headers["authorization"], self.server.key, self.server.origin)
            if len(body) > BODY_BYTES_MAX:
                raise Refused(413, f"{len(body)} bytes")
            if self.headers["content-encoding"] != "aes128gcm":
                raise Refused(400, "content-encoding")
            if not re.fullmatch(r"\d+", self.headers["ttl"] or ""):
                raise Refused(400, "ttl")
            if self.headers["urgency"] not in ("very-low", "low", "normal", "high"):
                raise Refused(400, "urgency")
            if not re.fullmatch(r"[A-Za-z0-9_-]{1,32}", self.headers["topic"] or ""):
                raise Refused(400, "topic")
            plaintext = http_ece.decrypt(body, private_key=private, auth_secret=auth_secret, version="aes128gcm")
            status = int(self.server.answers.pop(0)) if self.server.answers else 201
            say(
                event="push",
                path=self.path,
                status=status,
                bytes=len(body),
                claims=claims,
                ttl=int(self.headers["ttl"]),
                urgency=self.headers["urgency"],
                topic=self.headers["topic"],
                plaintext=base64.b64encode(plaintext).decode(),
            )
            self.answer(status, "")
        except Refused as refused:
            say(event="refused", status=refused.status, why=str(refused))
            self.answer(refused.status, str(refused))
        except Exception as error:
            say(event="refused", status=400, why=f"{type(error).__name__}: {error}")
            self.answer(400, "not readable")

    def answer(self, status, words):
        self.send_response(status)
        self.send_header("content-length", str(len(words.encode())))
        self.end_headers()
        self.wfile.write(words.encode())

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--key", required=True, help="the public key that the browser subscribed with")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--answers", default="", help="statuses for the first good pushes, apart by commas")
    args = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", args.port), Service)
    port = server.server_address[1]
    server.key, server.origin = args.key, f"http://127.0.0.1:{port}"
    server.answers = [answer for answer in args.answers.split(",") if answer]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    say(event="ready", port=port, p256dh=encoded(point), auth=encoded(auth_secret))
    # The test holds our stdin: when it is gone, so are we.
    sys.stdin.read()


main()
