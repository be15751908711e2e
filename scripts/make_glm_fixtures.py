#!/usr/bin/env python3
"""Writes fixtures/goes_glm: invented lightning granules with planted truth. Needs netCDF4 (pip install netCDF4).

Nothing here is recorded. Names of attributes and variables, types and packings are those of the product's definition (GOES-R
Product Definition and Users' Guide, volume 5, GLM L2+ LCFA). The same code writes the same values; truth.json names them.
"""

import json
import pathlib

import netCDF4
import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "goes_glm"
SECONDS = {"_Unsigned": "true", "scale_factor": numpy.float32(20.0 / 52428.0), "add_offset": numpy.float32(-5.0)}
MILLISECONDS = {"scale_factor": numpy.float32(2.0), "add_offset": numpy.float32(0.0)}
UNSIGNED = {"_Unsigned": "true"}


def packed(values, attributes):
    scale, offset = float(attributes["scale_factor"]), float(attributes["add_offset"])
    return [round((value - offset) / scale) for value in values]


def column(file, name, dimension, kind, stored, **attributes):
    fill = attributes.pop("_FillValue", None)
    variable = file.createVariable(name, kind, (dimension,), fill_value=fill, contiguous=True)
    variable.set_auto_maskandscale(False)
    variable.setncatts(attributes)
    array = numpy.array(stored, dtype="i8" if kind.startswith("i") else kind)
    variable[:] = array.astype(kind) if kind.startswith("i") else array


def granule(name, slot, platform, start, end, epoch, old, flashes):
    """flashes: (id, lat, lon, seconds, quality, energy in J or None, km2, [(event lat, lon), ...])."""
    with netCDF4.Dataset(ROOT / name, "w", format="NETCDF4") as file:
        file.setncatts({
            "dataset_name": name, "title": "GLM L2 Lightning Detections: Events, Groups, and Flashes",
            "orbital_slot": slot, "platform_ID": platform, "time_coverage_start": start, "time_coverage_end": end,
            "summary": "Invented for stormbell's tests",
        })
        # Every flash has one group for each of its events.
        groups = [(100 + 10 * index + number, flash[0], at)
                  for index, flash in enumerate(flashes) for number, at in enumerate(flash[7])]
        for dimension, length in (("flashes", len(flashes)), ("groups", len(groups)), ("events", len(groups))):
            # A dimension of length 0 would be an unlimited one, as the product's empty granules have it.
            file.createDimension(f"number_of_{dimension}", length or None)
        chunked = not flashes

        def put(variable, dimension, kind, stored, **attributes):
            if chunked:
                fill = attributes.pop("_FillValue", None)
                created = file.createVariable(variable, kind, (f"number_of_{dimension}",), fill_value=fill, chunksizes=(16,))
                created.setncatts(attributes)
            else:
                column(file, variable, f"number_of_{dimension}", kind, stored, **attributes)

        times = MILLISECONDS if old else SECONDS
        unit = ("milliseconds since " if old else "seconds since ") + epoch
        per_unit = 1000.0 if old else 1.0
        put("flash_id", "flashes", "i2", [flash[0] for flash in flashes], units="1", **UNSIGNED)
        put("flash_lat", "flashes", "f4", [flash[1] for flash in flashes], units="degrees_north")
        put("flash_lon", "flashes", "f4", [flash[2] for flash in flashes], units="degrees_east")
        put("flash_time_offset_of_first_event", "flashes", "i2",
            packed([flash[3] * per_unit for flash in flashes], times), units=unit, **times)
        put("flash_quality_flag", "flashes", "i2", [flash[4] for flash in flashes], units="1",
            _FillValue=numpy.int16(-1), flag_values=numpy.array([0, 1, 3, 5], dtype="i2"), **UNSIGNED)
        energy = {"scale_factor": numpy.float32(1e-15), "add_offset": numpy.float32(2.5e-16)}
        put("flash_energy", "flashes", "i2",
            [-1 if flash[5] is None else packed([flash[5]], energy)[0] for flash in flashes],
            units="J", _FillValue=numpy.int16(-1), **UNSIGNED, **energy)
        area = {"scale_factor": numpy.float32(0.15 if old else 152600.0), "add_offset": numpy.float32(0.0)}
        put("flash_area", "flashes", "i2", packed([flash[6] * (1.0 if old else 1e6) for flash in flashes], area),
            units="km2" if old else "m2", _FillValue=numpy.int16(-1), **UNSIGNED, **area)
        put("group_id", "groups", "i4", [group[0] for group in groups], units="1", **UNSIGNED)
        put("group_parent_flash_id", "groups", "i2", [group[1] for group in groups], units="1", **UNSIGNED)
        put("event_parent_group_id", "events", "i4", [group[0] for group in groups], units="1", **UNSIGNED)
        north = {"scale_factor": numpy.float32(0.00203128), "add_offset": numpy.float32(-66.56)}
        east = {"scale_factor": numpy.float32(0.00203128),
                "add_offset": numpy.float32(-203.56 if slot == "GOES-West" else -141.56)}
        put("event_lat", "events", "i2", packed([group[2][0] for group in groups], north),
            units="degrees_north", **UNSIGNED, **north)
        put("event_lon", "events", "i2", packed([group[2][1] for group in groups], east),
            units="degrees_east", **UNSIGNED, **east)


def main():
    ROOT.mkdir(parents=True, exist_ok=True)
    east = "OR_GLM-L2-LCFA_G19_s20303652359500_e20310010000100_c20310010000125.nc"
    granule(east, "GOES-East", "G19", "2030-12-31T23:59:50.0Z", "2031-01-01T00:00:10.0Z", "2030-12-31 23:59:50.000",
            False, [
                (7, 37.74, -98.21, -1.5, 0, 2e-14, 120.0, [(37.74, -98.21), (37.80, -98.21)]),
                # Its offset is above half of the range, its id above 32767, its light reaches 60 km west.
                (65000, 37.74, -97.21, 15.0, 3, None, 9000.0, [(37.74, -97.21), (37.74, -97.90)]),
                (9, 37.70, -98.20, 3.0, 1, 1e-14, 80.0, [(37.70, -98.20)]),
                (10, 30.0, -90.0, 12.5, 5, 5e-14, 200.0, [(30.0, -90.0)]),
            ])
    old = "OR_GLM-L2-LCFA_G16_s20180012359400_e20180020000000_c20180020000028.nc"
    granule(old, "GOES-East", "G16", "2018-01-01T23:59:40.0Z", "2018-01-02T00:00:00.0Z", "2018-01-01 23:59:40.000", True, [
        (1, 37.74, -98.21, 18.654, 0, 3e-14, 150.0, [(37.75, -98.20)]),
    ])
    west = "OR_GLM-L2-LCFA_G18_s20303652359500_e20310010000100_c20310010000131.nc"
    granule(west, "GOES-West", "G18", "2030-12-31T23:59:50.0Z", "2031-01-01T00:00:10.0Z", "2030-12-31 23:59:50.000",
            False, [])
    truth = {
        east: {"flashes": 3, "left_out": 1, "first": ["2030-12-31T23:59:48.5Z", "2031-01-01T00:00:05Z", "2031-01-01T00:00:02.5Z"],
               "energy_j": [2e-14, None, 1e-14, 5e-14], "area_km2": [120.0, 9000.0, 80.0, 200.0]},
        old: {"flashes": 1, "left_out": 0, "first": ["2018-01-01T23:59:58.654Z"], "energy_j": [3e-14], "area_km2": [150.0]},
        west: {"flashes": 0, "left_out": 0, "first": [], "energy_j": [], "area_km2": []},
    }
    (ROOT / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


if __name__ == "__main__":
    main()
