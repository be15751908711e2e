"""Makes a virtual environment with what requirements.txt names, once, and prints the path of its Python.

    environment.py DIRECTORY
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
wanted = (here / "requirements.txt").read_bytes()
folder = pathlib.Path(sys.argv[1]) / f"foreign-{hashlib.sha256(wanted).hexdigest()[:12]}"
if not folder.exists():
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Made aside and moved into place: what stands is whole, also when two make it at once.
    made = pathlib.Path(tempfile.mkdtemp(dir=folder.parent, prefix="making-"))
    try:
        quiet = {"stdout": sys.stderr, "check": True}
        subprocess.run([sys.executable, "-m", "venv", made], **quiet)
        pip = [made / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", here / "requirements.txt"], **quiet)
        os.rename(made, folder)
    except FileExistsError:
        pass
    finally:
        shutil.rmtree(made, ignore_errors=True)
print(folder / "bin" / "python")
