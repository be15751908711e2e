"""What the makers of packed files share: their numbers, and outlines out of TopoJSON."""


def unsigned(number: int) -> bytes:
    """LEB128."""
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def signed(number: int) -> bytes:
    """Zigzagged LEB128."""
    return unsigned(number * 2 if number >= 0 else -number * 2 - 1)


def arcs_of(topology: dict) -> list[list[tuple[float, float]]]:
    """Corners of every arc, longitude and latitude in degrees."""
    (x_scale, y_scale), (x_0, y_0) = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = []
    for steps in topology["arcs"]:
        x = y = 0
        corners = []
        for step_x, step_y in steps:
            x, y = x + step_x, y + step_y
            corners.append((x * x_scale + x_0, y * y_scale + y_0))
        arcs.append(corners)
    return arcs


def polygons_of(geometry: dict) -> list[list[list[int]]]:
    """Polygons as rings of numbers of arcs: n forward, ~n backward."""
    return [geometry["arcs"]] if geometry["type"] == "Polygon" else geometry["arcs"]
