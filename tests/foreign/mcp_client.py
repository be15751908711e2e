"""An independent MCP client (the `mcp` package from PyPI) that uses stormbell as an agent would.

    mcp_client.py --url http://127.0.0.1:8741/mcp [options]
    mcp_client.py [options] --stdio COMMAND ARG...

It lists tools and checks their schemas, calls every tool, registers a point, subscribes to its resource and waits to be
told that its level changed; on stdio it also checks that every line of the server's stdout is JSON-RPC. It does all that
twice: with the initialize handshake (resources/subscribe) and with the 2026-07-28 protocol (subscriptions/listen).
Ends with 0 and one JSON line on stdout, or with 1 and the reason on stderr.
"""

import argparse
import asyncio
import json
import sys
import warnings

import jsonschema
from mcp import Client, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated

TOOLS = [
    "get_active_warnings", "get_spc_outlook", "get_point_environment", "get_environment_trend", "get_mrms_severe",
    "get_lightning", "get_storm_reports", "get_historical_storm_reports", "get_threat_brief", "get_radar_snapshot",
    "geocode_place", "register_watch_point", "unregister_watch_point", "update_watch_point", "acknowledge_watch_point",
    "send_test_notice", "explain_watch_point", "list_watch_points", "get_watch_point",
    # Flat answers, visited by nws_client.py.
    "nws_get_forecast", "nws_search_alerts", "nws_get_alert_counts", "nws_get_observations", "nws_get_observation_history",
    "nws_find_stations", "nws_list_alert_types", "nws_get_office_discussion", "nws_get_zone_forecast",
]
ENVELOPE = {"schema_version", "data", "interpretation", "degraded", "disclaimer"}
DISCLAIMER = "Informational only. Not a substitute for official NWS warnings."

# resources/subscribe is deprecated in the newest protocol and what most clients speak.
warnings.simplefilter("ignore")


def check(truth, why):
    if not truth:
        raise AssertionError(why)


def schema_is_plain(schema, where):
    """No numeric format, nothing that refers elsewhere."""
    if isinstance(schema, dict):
        types = schema.get("type")
        types = [types] if isinstance(types, str) else types or []
        if isinstance(schema.get("format"), str):
            check(not {"number", "integer"} & set(types), f"{where}: format {schema['format']} on a number")
        check("$ref" not in schema, f"{where}: $ref")
        for key, value in schema.items():
            schema_is_plain(value, f"{where}/{key}")
    elif isinstance(schema, list):
        for value in schema:
            schema_is_plain(value, where)


class Told:
    """What the server said without being asked."""

    def __init__(self):
        self.updated = {}
        self.list_changed = asyncio.Event()

    def of(self, uri):
        return self.updated.setdefault(str(uri), asyncio.Event())

    async def __call__(self, message):
        message = getattr(message, "root", message)
        method = getattr(message, "method", None)
        if method == "notifications/resources/updated":
            self.of(message.params.uri).set()
        elif method == "notifications/resources/list_changed":
            self.list_changed.set()


class Visit:
    def __init__(self, client, told, args):
        self.client, self.told, self.args = client, told, args
        self.schemas, self.changes = {}, 0

    async def call(self, tool, /, **arguments):
        result = await self.client.call_tool(tool, arguments)
        check(not result.is_error, f"{tool}: {result.content}")
        data = result.structured_content
        check(set(data) == ENVELOPE, f"{tool}: keys {sorted(data)}")
        check(data["disclaimer"] == DISCLAIMER, f"{tool}: disclaimer {data['disclaimer']!r}")
        check(json.loads(result.content[0].text) == data, f"{tool}: text and structured content differ")
        jsonschema.Draft202012Validator(self.schemas[tool]).validate(data)
        return data

    async def refused(self, tool, part, /, **arguments):
        result = await self.client.call_tool(tool, arguments)
        check(result.is_error, f"{tool} {arguments} was not refused")
        check(part in result.content[0].text, f"{tool}: {result.content[0].text!r} lacks {part!r}")

    async def tools(self):
        info = self.client.server_info
        check(info is None or info.name == "stormbell", f"server is {info}")
        listed = (await self.client.list_tools()).tools
        check([tool.name for tool in listed] == TOOLS, f"tools: {[tool.name for tool in listed]}")
        for tool in listed:
            self.schemas[tool.name] = tool.output_schema
            for schema, side in ((tool.input_schema, "input"), (tool.output_schema, "output")):
                check(schema["type"] == "object", f"{tool.name} {side}: root is no object")
                jsonschema.Draft202012Validator.check_schema(schema)
                schema_is_plain(schema, f"{tool.name} {side}")
            check(tool.annotations.read_only_hint is not None, f"{tool.name}: no annotations")

    async def weather(self):
        here = {"lat": self.args.lat, "lon": self.args.lon}
        clamped = await self.call("get_active_warnings", **here, radius_km=9999)
        check(clamped["data"]["radius_km"] == 250, "radius is not clamped to 250")
        for plain in TOOLS:
            if plain.startswith("get_") and plain not in ("get_watch_point", "get_historical_storm_reports"):
                await self.call(plain, **here)
        await self.call("get_historical_storm_reports", **here, date="2024-05-07")
        await self.refused("get_historical_storm_reports", "YYYY-MM-DD", **here, date="yesterday")
        await self.refused("get_spc_outlook", "1 (today)", **here, day=9)
        await self.refused("get_threat_brief", "did you mean lon", lat=here["lat"], lon=-here["lon"])
        await self.refused("get_threat_brief", "unknown field", **here, day=1)

    async def points(self):
        """Registers a point, is told of it and removes it; returns the level that it was told of."""
        here = {"lat": self.args.lat, "lon": self.args.lon}
        asked = {"name": f"Foreign client {self.client.protocol_version}", **here, "min_level": "elevated"}
        made = (await self.call("register_watch_point", **asked))["data"]
        again = (await self.call("register_watch_point", **asked))["data"]
        check(made["created"] and not again["created"] and made["id"] == again["id"], "registering is not idempotent")
        uri = f"watch://points/{made['id']}"
        listed = (await self.call("list_watch_points"))["data"]["watch_points"]
        check(made["id"] in [point["id"] for point in listed], "the point is not listed")
        resources = [str(resource.uri) for resource in (await self.client.list_resources()).resources]
        check({"watch://points", uri} <= set(resources), f"resources: {resources}")
        templates = (await self.client.list_resource_templates()).resource_templates
        check(templates[0].uri_template == "watch://points/{id}", f"templates: {templates}")
        level = await self.wait_for_change(made["id"], uri)
        await self.watch_tools(made["id"])
        listed = json.loads((await self.client.read_resource("watch://points")).contents[0].text)
        check(listed["data"]["total"] >= 1, "the list resource is empty")
        removed = (await self.call("unregister_watch_point", id=made["id"]))["data"]
        check(removed["removed"], "the point could not be removed")
        removed = (await self.call("unregister_watch_point", id=made["id"]))["data"]
        check(not removed["removed"], "the point was removed twice")
        await self.refused("get_watch_point", "no watch point", id=made["id"])
        return level

    async def watch_tools(self, point_id):
        """Changes the point, says that its level is known, tries its channels and asks why; all answers fit their schemas."""
        changed = await self.call("update_watch_point", id=point_id, min_level="significant", quiet_hours="22:00-07:00")
        check(changed["data"]["min_level"] == "significant", f"min_level: {changed['data']}")
        check(changed["data"]["quiet_hours"] == "22:00-07:00", f"quiet_hours: {changed['data']}")
        changed = await self.call("update_watch_point", id=point_id, quiet_hours="none")
        check(changed["data"]["quiet_hours"] is None, "quiet hours are not taken away")
        check(changed["data"]["min_level"] == "significant", "what is left out does not stay")
        await self.refused("update_watch_point", "quiet_hours", id=point_id, quiet_hours="late")
        await self.refused("update_watch_point", "unknown field", id=point_id, lat=41.0)
        explained = await self.call("explain_watch_point", id=point_id)
        check(explained["data"]["id"] == point_id, "another point is explained")
        await self.refused("explain_watch_point", "not past yet", id=point_id, at_utc="2999-01-01T00:00:00Z")
        for tool in ("acknowledge_watch_point", "send_test_notice"):
            answer = await self.call(tool, id=point_id)
            check(answer["data"]["id"] == point_id, f"{tool}: another point")
        for tool in ("update_watch_point", "acknowledge_watch_point", "send_test_notice", "explain_watch_point"):
            await self.refused(tool, "no watch point", id="no-such-point")

    async def prompts(self):
        listed = (await self.client.list_prompts()).prompts
        names = [prompt.name for prompt in listed]
        check(names == ["storm_briefing", "set_up_watch"], f"prompts: {names}")
        check(all(argument.required for prompt in listed for argument in prompt.arguments), "an argument is not required")
        got = await self.client.get_prompt("storm_briefing", {"lat": str(self.args.lat), "lon": str(self.args.lon)})
        check("get_threat_brief" in got.messages[0].content.text, "the briefing names no tool")
        got = await self.client.get_prompt("set_up_watch", {"place": "a farm", "who": "me"})
        check("register_watch_point" in got.messages[0].content.text, "the setting up names no tool")

    async def level(self, point_id, uri):
        facts = json.loads((await self.client.read_resource(uri, cache_mode="bypass")).contents[0].text)
        jsonschema.Draft202012Validator(self.schemas["get_watch_point"]).validate(facts)
        check((await self.call("get_watch_point", id=point_id))["data"]["id"] == point_id, "another point")
        return facts["data"]["level"]

    async def wait_for_change(self, point_id, uri):
        """Subscribes first and reads then, so that no change can be missed."""
        if self.client.protocol_version < "2026-07-28":
            await self.client.subscribe_resource(uri)
            before = await self.level(point_id, uri)

            async def next_change():
                event = self.told.of(uri)
                await event.wait()
                event.clear()

            return await self.until_wanted(point_id, uri, before, next_change)
        async with self.client.listen(resource_subscriptions=[uri]) as stream:
            check(list(stream.honored.resource_subscriptions) == [uri], f"honoured: {stream.honored}")
            before = await self.level(point_id, uri)

            async def next_change():
                async for event in stream:
                    if isinstance(event, ResourceUpdated) and str(event.uri) == uri:
                        return
                raise AssertionError("the stream ended before the level changed")

            return await self.until_wanted(point_id, uri, before, next_change)

    async def until_wanted(self, point_id, uri, before, next_change):
        wanted = self.args.wait_level
        if wanted and before == wanted:
            return before
        while True:
            await asyncio.wait_for(next_change(), self.args.wait_s)
            self.changes += 1
            level = await self.level(point_id, uri)
            print(f"told: {uri} is {level}", file=sys.stderr)
            if not wanted or level == wanted:
                return level


async def visit(server, mode, args):
    told = Told()
    async with Client(server, mode=mode, message_handler=told, read_timeout_seconds=60) as client:
        guest = Visit(client, told, args)
        await guest.tools()
        await guest.weather()
        await guest.prompts()
        level = await guest.points()
        return {"mode": mode, "protocol": client.protocol_version, "level": level, "changes": guest.changes}


async def lines_are_json_rpc(command):
    """C01: talks to the server by hand and reads every line of its stdout until it ends."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=1 << 24
    )
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "by hand", "version": "0"}}
    here = {"lat": 40.52, "lon": -92.90}
    asked = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "resources/list"},
        {"id": 4, "method": "tools/call", "params": {"name": "get_threat_brief", "arguments": here}},
        {"id": 5, "method": "tools/call", "params": {"name": "get_threat_brief", "arguments": {"lat": 1}}},
        {"id": 6, "method": "no/such/method"},
    ]
    for message in asked:
        process.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
    await process.stdin.drain()
    waiting, lines = {1, 2, 3, 4, 5, 6}, 0
    while waiting:
        line = await asyncio.wait_for(process.stdout.readline(), 60)
        check(line, f"stdout ended; no answer to {sorted(waiting)}")
        lines += 1
        message = json.loads(line)
        check(message.get("jsonrpc") == "2.0", f"not JSON-RPC: {line!r}")
        check(b'ursor":null' not in line.replace(b" ", b""), f"a null cursor: {line!r}")
        waiting.discard(message.get("id"))
    process.stdin.close()
    rest = await asyncio.wait_for(process.stdout.read(), 60)
    for line in rest.splitlines():
        lines += 1
        check(json.loads(line).get("jsonrpc") == "2.0", f"not JSON-RPC: {line!r}")
    code = await asyncio.wait_for(process.wait(), 60)
    check(code == 0, f"exit code {code} after its stdin was closed")
    return lines


async def main(args):
    done = {}
    if args.stdio:
        done["lines"] = await lines_are_json_rpc(args.stdio)
        command, *rest = args.stdio
        servers = [StdioServerParameters(command=command, args=rest)] * len(args.modes)
    else:
        servers = [args.url] * len(args.modes)
    done["visits"] = [await visit(server, mode, args) for server, mode in zip(servers, args.modes)]
    print(json.dumps(done))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="streamable HTTP address")
    parser.add_argument("--lat", type=float, default=40.52)
    parser.add_argument("--lon", type=float, default=-92.90)
    parser.add_argument("--wait-level", help="wait until the point reads this level; without it any change will do")
    parser.add_argument("--wait-s", type=float, default=60, help="longest wait for one change")
    parser.add_argument("--modes", nargs="+", default=["legacy", "2026-07-28"], help="legacy, auto or 2026-07-28")
    parser.add_argument("--stdio", nargs=argparse.REMAINDER, help="command to run; must stand last")
    args = parser.parse_args()
    if bool(args.url) == bool(args.stdio):
        parser.error("give either --url or --stdio")
    return args


if __name__ == "__main__":
    try:
        asyncio.run(main(arguments()))
    except BaseException as error:  # groups of the async runtime included
        if isinstance(error, SystemExit):
            raise
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        print(f"failed: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
