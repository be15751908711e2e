#!/usr/bin/env python3
"""Writes assets/outlines.bin: the outlines of the lower 48 states and the District of Columbia.

    npm pack us-atlas@3.0.1 && tar xzf us-atlas-3.0.1.tgz
    scripts/make_outlines.py package/states-10m.json assets/outlines.bin

The input is TopoJSON of the Census Bureau's cartographic boundary files (edition 2017, 1:10,000,000, public domain) as the npm package
us-atlas redistributes them. Only the standard library is used. The output is made of unsigned LEB128 numbers and bytes; signed numbers
are zigzagged:

    "SBO1"
    number of arcs; each: number of corners, then for each corner the step from the one before (the first: from 0, 0) in longitude and
        latitude, ten-thousandths of a degree, signed
    number of states; each: two letters, length of the name, the name, number of polygons; each: number of rings (the first is the
        outside); each: number of arcs, then for each its number, signed: n forward, -n-1 (that is ~n) backward

Arcs are shared: a border between two states is there once. A ring is its arcs one after the other, each beginning where the one before
it ended.
"""

import json
import pathlib
import sys

from packing import arcs_of, polygons_of, signed, unsigned

# Codes of the Federal Information Processing Standard (FIPS 5-2) for what is drawn.
STATES = {
    "01": "AL", "04": "AZ", "05": "AR", "06": "CA", "08": "CO", "09": "CT", "10": "DE", "11": "DC", "12": "FL", "13": "GA",
    "16": "ID", "17": "IL", "18": "IN", "19": "IA", "20": "KS", "21": "KY", "22": "LA", "23": "ME", "24": "MD", "25": "MA",
    "26": "MI", "27": "MN", "28": "MS", "29": "MO", "30": "MT", "31": "NE", "32": "NV", "33": "NH", "34": "NJ", "35": "NM",
    "36": "NY", "37": "NC", "38": "ND", "39": "OH", "40": "OK", "41": "OR", "42": "PA", "44": "RI", "45": "SC", "46": "SD",
    "47": "TN", "48": "TX", "49": "UT", "50": "VT", "51": "VA", "53": "WA", "54": "WV", "55": "WI", "56": "WY",
}  # fmt: skip
UNITS_PER_DEGREE = 10_000


def arcs_in_units(topology: dict) -> list[list[tuple[int, int]]]:
    """Corners of every arc, absolute."""
    units = lambda degrees: round(degrees * UNITS_PER_DEGREE)
    return [[(units(lon), units(lat)) for lon, lat in arc] for arc in arcs_of(topology)]


def drawn(geometry: dict, arcs: list) -> list[list[list[int]]]:
    """Polygons as rings of numbers of arcs, without those that simplifying has made flat."""

    def has_extent(ring: list[int]) -> bool:
        return len({corner for reference in ring for corner in arcs[reference if reference >= 0 else ~reference]}) > 2

    return [[ring for ring in polygon if has_extent(ring)] for polygon in polygons_of(geometry) if has_extent(polygon[0])]


def main(source: str, target: str) -> None:
    topology = json.loads(pathlib.Path(source).read_text())
    arcs = arcs_in_units(topology)
    states = [g for g in topology["objects"]["states"]["geometries"] if g["id"] in STATES]
    states.sort(key=lambda geometry: STATES[geometry["id"]])
    assert len(states) == len(STATES), len(states)

    # Only the arcs that are used, numbered in the order in which they are.
    number: dict[int, int] = {}
    for geometry in states:
        for polygon in drawn(geometry, arcs):
            for ring in polygon:
                for reference in ring:
                    number.setdefault(reference if reference >= 0 else ~reference, len(number))

    out = bytearray(b"SBO1")
    out += unsigned(len(number))
    for arc in number:
        out += unsigned(len(arcs[arc]))
        x_before = y_before = 0
        for x, y in arcs[arc]:
            out += signed(x - x_before) + signed(y - y_before)
            x_before, y_before = x, y
    out += unsigned(len(states))
    for geometry in states:
        name = geometry["properties"]["name"].encode()
        polygons = drawn(geometry, arcs)
        out += STATES[geometry["id"]].encode() + unsigned(len(name)) + name + unsigned(len(polygons))
        for polygon in polygons:
            out += unsigned(len(polygon))
            for ring in polygon:
                out += unsigned(len(ring))
                for reference in ring:
                    out += signed(number[reference] if reference >= 0 else ~number[~reference])
    pathlib.Path(target).write_bytes(out)
    corners = sum(len(arcs[arc]) for arc in number)
    print(f"{target}: {len(out)} bytes, {len(states)} states, {len(number)} arcs, {corners} corners", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
