"""Reads the mails that the server kept, as a mail program does (the standard library's parser), and prints them as JSON.

    read_mail.py DIRECTORY
"""

import email
import email.policy
import json
import pathlib
import sys

mails = []
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.eml")):
    mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    parts = list(mail.iter_parts())
    mails.append({
        "headers": {name: str(value) for name, value in mail.items()},
        "parts": [part.get_content_type() for part in parts],
        "text": mail.get_body(("plain",)).get_content(),
        "html": mail.get_body(("html",)).get_content(),
        "defects": [str(defect) for part in [mail, *parts] for defect in part.defects],
    })
json.dump(mails, sys.stdout)
