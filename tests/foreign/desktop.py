"""A desktop's notification service (org.freedesktop.Notifications) on the session bus, on which nobody looks and a test presses.

    dbus-run-session -- desktop.py

One JSON object a line on stdout: {"event": "ready"}, then {"event": "shown", "id": N, "title": ..., "body": ...} and
{"event": "closed", "id": N}. A number on a line of stdin presses that notification. Ends with its stdin.
"""

import json
import os
import sys
import threading

from jeepney import DBusAddress, HeaderFields, MessageType, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.Notifications"
OBJECT = DBusAddress("/org/freedesktop/Notifications", interface=NAME)
CLOSED_BY_ITS_PROGRAM = 3
lock = threading.Lock()
bus = open_dbus_connection(bus="SESSION")


def say(**what):
    print(json.dumps(what), flush=True)


def send(message):
    with lock:
        bus.send(message)


def press():
    for line in sys.stdin:
        send(new_signal(OBJECT, "ActionInvoked", "us", (int(line), "default")))
    os._exit(0)


assert bus.send_and_get_reply(message_bus.RequestName(NAME)).body == (1,), "there is another one on this bus"
say(event="ready")
threading.Thread(target=press, daemon=True).start()
shown = 0
while True:
    call = bus.receive()
    if call.header.message_type is not MessageType.method_call:
        continue
    match call.header.fields.get(HeaderFields.member):
        case "GetCapabilities":
            send(new_method_return(call, "as", (["actions", "body"],)))
        case "GetServerInformation":
            send(new_method_return(call, "ssss", ("desktop.py", "stormbell", "1", "1.2")))
        case "Notify":
            _, replaced, _, title, body = call.body[:5]
            shown += not replaced
            number = replaced or shown
            send(new_method_return(call, "u", (number,)))
            say(event="shown", id=number, title=title, body=body)
        case "CloseNotification":
            send(new_method_return(call))
            send(new_signal(OBJECT, "NotificationClosed", "uu", (call.body[0], CLOSED_BY_ITS_PROGRAM)))
            say(event="closed", id=call.body[0])
        case _:
            send(new_method_return(call))
