"""A mail server that is not ours (aiosmtpd), for tests: keeps every mail as a file and can be unwell on purpose.

One JSON object a line on stdout: {"event": "ready", "port": N}, then {"event": "mail", ...} or {"event": "refused", ...}.
"""

import argparse
import asyncio
import json
import pathlib
import ssl
import sys

from aiosmtpd.smtp import SMTP


def say(**what):
    print(json.dumps(what), flush=True)


class Keeper:
    def __init__(self, folder, refusals):
        self.folder = pathlib.Path(folder)
        self.refusals = refusals

    async def handle_DATA(self, server, session, envelope):
        if self.refusals > 0:
            self.refusals -= 1
            say(event="refused")
            return "451 4.3.0 try again later"
        number = len(list(self.folder.glob("*.eml"))) + 1
        (self.folder / f"{number:04}.eml").write_bytes(envelope.original_content)
        say(
            event="mail",
            number=number,
            sender=envelope.mail_from,
            to=envelope.rcpt_tos,
            encrypted=session.ssl is not None or server.transport.get_extra_info("ssl_object") is not None,
        )
        return f"250 2.0.0 kept as {number}"


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", required=True, help="where mails are kept, a file each")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--refuse-first", type=int, default=0, help="answer 451 to that many messages first")
    parser.add_argument("--idle-s", type=float, default=300.0, help="close a connection idle for so long")
    parser.add_argument("--cert", help="PEM file with certificate and key")
    parser.add_argument("--security", choices=["none", "starttls", "tls"], default="none")
    args = parser.parse_args()

    context = None
    if args.security != "none":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(args.cert)
    keeper = Keeper(args.dir, args.refuse_first)

    def connection():
        return SMTP(
            keeper,
            hostname="foreign.example",
            timeout=args.idle_s,
            tls_context=context if args.security == "starttls" else None,
            require_starttls=args.security == "starttls",
        )

    wrapped = context if args.security == "tls" else None
    server = await asyncio.get_running_loop().create_server(connection, "127.0.0.1", args.port, ssl=wrapped)
    say(event="ready", port=server.sockets[0].getsockname()[1])
    # The test holds our stdin: when it is gone, so are we.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
