"""An independent MCP client (the `mcp` package from PyPI) that uses the nine routine tools over a recorded day.

    nws_client.py [--keep FILE] --stdio COMMAND ARG...

It checks what it is answered and refused against the tools' output schemas, that text and structured content hold the same,
that turning pages repeats nothing, and reads the resource nws://alert-types. With --keep the schemas and answers are written
to a file, for another validator. Ends with 0 and one JSON line on stdout, or with 1 and the reason on stderr.
"""

import argparse
import asyncio
import json
import sys

import jsonschema
from mcp import Client, StdioServerParameters

TOOLS = [
    "nws_get_forecast", "nws_search_alerts", "nws_get_alert_counts", "nws_get_observations", "nws_get_observation_history",
    "nws_find_stations", "nws_list_alert_types", "nws_get_office_discussion", "nws_get_zone_forecast",
]
OWN = {"schema_version", "interpretation", "degraded", "disclaimer"}
HERE = {"latitude": 42.745, "longitude": -73.752}


def check(truth, why):
    if not truth:
        raise AssertionError(why)


class Visit:
    def __init__(self, client):
        self.client, self.schemas, self.kept = client, {}, []
        self.answers = self.refusals = 0

    async def tools(self):
        for tool in (await self.client.list_tools()).tools:
            if tool.name.startswith("nws_"):
                self.schemas[tool.name] = tool.output_schema
                jsonschema.Draft202012Validator.check_schema(tool.input_schema)
                jsonschema.Draft202012Validator.check_schema(tool.output_schema)
                check(tool.output_schema["type"] == "object", f"{tool.name}: root is no object")
                check(tool.annotations.read_only_hint, f"{tool.name} does not say that it only reads")
        check(list(self.schemas) == TOOLS, f"tools: {list(self.schemas)}")

    async def ask(self, tool, arguments):
        result = await self.client.call_tool(tool, arguments)
        data = result.structured_content
        jsonschema.Draft202012Validator(self.schemas[tool]).validate(data)
        check(OWN <= set(data), f"{tool}: keys {sorted(data)}")
        self.kept.append({"tool": tool, "data": data})
        return result.is_error, data, result.content[0].text

    async def call(self, tool, /, **arguments):
        is_error, data, text = await self.ask(tool, arguments)
        check(not is_error, f"{tool} {arguments}: {text}")
        check("nextCursor" not in data or isinstance(data["nextCursor"], str), f"{tool}: a cursor that is none")
        for key in ("totalCount", "shown"):
            check(key not in data or f"{key}: {data[key]}" in text, f"{tool}: the text does not tell {key}")
        self.answers += 1
        return data, text

    async def refused(self, reason, code, tool, /, **arguments):
        is_error, data, text = await self.ask(tool, arguments)
        error = data["error"]
        check(is_error and error["code"] == code, f"{tool} {arguments}: {error}")
        check(error["data"].get("reason") == reason, f"{tool} {arguments}: {error}")
        check(text.rstrip().endswith(f"(reason {reason})"), f"{tool}: {text!r}")
        check(error["data"]["recovery"]["hint"] in text, f"{tool}: {text!r} lacks the hint")
        self.refusals += 1

    async def pages(self, tool, rows, key, /, **arguments):
        """All rows over all pages, each once."""
        seen, cursor = [], {}
        while True:
            data, text = await self.call(tool, **(arguments | cursor))
            check(len(data[rows]) == data["shown"] <= data["totalCount"], f"{tool}: {data['shown']} shown")
            seen += [row[key] for row in data[rows]]
            if "nextCursor" not in data:
                check(len(seen) == len(set(seen)) == data["totalCount"], f"{tool}: {len(seen)} rows, {len(set(seen))} distinct")
                return seen
            check(data["nextCursor"] in text, f"{tool}: the text lacks the cursor")
            cursor = {"cursor": data["nextCursor"]}

    async def everything(self):
        week, text = await self.call("nws_get_forecast", **HERE)
        check((week["location"]["city"], week["location"]["office"]) == ("Latham", "ALY"), week["location"])
        for period in week["periods"]:
            check(f"{period['temperature']:g}°F" in text and period["name"] in text, f"{period} is not in the text")
        check(week["totalCount"] == week["shown"] == 14, f"{week['totalCount']} periods")
        hours = await self.pages("nws_get_forecast", "periods", "startTime", **HERE, hourly=True)
        check(len(hours) == 96, f"{len(hours)} hours")
        alerts = await self.pages("nws_search_alerts", "alerts", "id")
        data, text = await self.call("nws_search_alerts", severity=["Severe", "Extreme"], limit=25)
        for alert in data["alerts"]:
            check(alert["id"] in text and alert["severity"] in ("Severe", "Extreme"), alert["id"])
        await self.call("nws_search_alerts", area="NY")
        await self.call("nws_search_alerts", zone="NYZ052", event=["air quality"])
        await self.call("nws_search_alerts", point="42.745,-73.752")
        await self.call("nws_get_alert_counts")
        stations = await self.pages("nws_find_stations", "stations", "stationId", **HERE, limit=20)
        check(stations[0] == "KALB" and len(stations) == 53, stations[:3])
        near, text = await self.call("nws_get_observations", latitude=42.89, longitude=-73.25)
        check(near["stationId"] == "KDDH" and f"({near['temperatureC']}°C)" in text, near)
        await self.call("nws_get_observations", station_id="KDDH")
        past, _ = await self.call("nws_get_observation_history", station_id="KDDH")
        check(past["shown"] == 1 and "nextCursor" not in past, past)
        types, _ = await self.call("nws_list_alert_types")
        check(types["count"] == len(types["eventTypes"]) and types["eventTypes"] == sorted(types["eventTypes"]), types)
        said, text = await self.call("nws_get_office_discussion", office="TAE")
        check(said["issuanceTime"] == "2024-08-21T00:41:00+00:00" and said["productText"].strip() in text, said["issuanceTime"])
        zone, _ = await self.call("nws_get_zone_forecast", zone_id="NYZ052")
        check(zone["periodCount"] == len(zone["periods"]) == 14, zone["periodCount"])
        return len(alerts)

    async def trouble(self):
        await self.refused("invalid_arguments", -32602, "nws_get_forecast", **HERE, days=3)
        await self.refused("out_of_scope", -32007, "nws_get_forecast", latitude=51.5, longitude=-0.1)
        await self.refused("invalid_cursor", -32602, "nws_search_alerts", cursor="nobody's")
        await self.refused("invalid_area_code", -32007, "nws_search_alerts", area="ZZ")
        await self.refused("mutually_exclusive_filters", -32007, "nws_search_alerts", area="NY", zone="NYZ052")
        await self.refused("missing_input", -32007, "nws_get_observations")
        await self.refused("station_not_found", -32001, "nws_get_observations", station_id="KNONE")
        await self.refused("invalid_time_window", -32007, "nws_get_observation_history", station_id="KDDH", start="2026-02-30")
        await self.refused("zone_not_found", -32001, "nws_get_zone_forecast", zone_id="NYC001")

    async def resource(self):
        uris = [str(one.uri) for one in (await self.client.list_resources()).resources]
        check("nws://alert-types" in uris, f"resources: {uris}")
        read = await self.client.read_resource("nws://alert-types")
        types = json.loads(read.contents[0].text)
        jsonschema.Draft202012Validator(self.schemas["nws_list_alert_types"]).validate(types)
        check(read.contents[0].mime_type == "application/json", read.contents[0].mime_type)
        if self.client.protocol_version >= "2026-07-28":
            check(read.ttl_ms == 3_600_000, f"ttl {read.ttl_ms}")


async def main(args):
    command, *rest = args.stdio
    server, done, kept = StdioServerParameters(command=command, args=rest), {}, []
    for mode in ("legacy", "2026-07-28"):
        async with Client(server, mode=mode, read_timeout_seconds=60) as client:
            visit = Visit(client)
            await visit.tools()
            done = {"alerts": await visit.everything()}
            await visit.trouble()
            await visit.resource()
            done |= {"tools": len(visit.schemas), "answers": visit.answers, "refusals": visit.refusals}
            kept = visit.kept
            schemas = visit.schemas
    if args.keep:
        with open(args.keep, "w", encoding="utf-8") as file:
            json.dump({"schemas": schemas, "answers": kept}, file)
    print(json.dumps(done))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", help="where schemas and answers are written")
    parser.add_argument("--stdio", nargs=argparse.REMAINDER, required=True, help="command to run; must stand last")
    try:
        asyncio.run(main(parser.parse_args()))
    except BaseException as error:  # groups of the async runtime included
        if isinstance(error, SystemExit):
            raise
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        print(f"failed: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)
