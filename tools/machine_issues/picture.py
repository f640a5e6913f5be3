"""Draws the roof of a new machine among those of the others, by gnuplot, from nothing but numbers and names of folders."""

import json
import subprocess
from pathlib import Path

PEAK, BANDWIDTH = "peak_fp32_gflops", "bandwidth_dram_gbs"
ROOF = "01-roofline.json"
THEIRS = "title 'machines in the book'"
SCRIPT = """
set terminal pngcairo size 900,540 font ",13" rounded
set output '{output}'
set logscale xy 2
set xrange [1.0/16:256]
set xlabel 'operational intensity (FLOP/byte)'
set ylabel 'GFLOP/s, one core'
set grid lc rgb '#dddddd'
set key top left Left reverse
set samples 400
roof(peak, bandwidth, x) = x * bandwidth < peak ? x * bandwidth : peak
plot {curves}
"""


def roof_of(file: Path) -> tuple[float, float] | None:
    """The peak and bandwidth in a valid record."""
    values = {value["id"]: float(value["value"]) for value in json.loads(file.read_bytes())["values"]}
    return (values[PEAK], values[BANDWIDTH]) if PEAK in values and BANDWIDTH in values else None


def draw(root: Path, paths: list[str], output: Path) -> None:
    """Draws the roof of the machine with the records `paths` in the book at `root`, if it has measured one."""
    own = next((root / path for path in paths if path.endswith(f"/{ROOF}")), None)
    if not own or not (mine := roof_of(own)):
        return
    others = [file for file in sorted((root / "figures").glob(f"*/*/{ROOF}")) if file != own]
    curves = [f"roof({roof[0]}, {roof[1]}, x) {'notitle' if i else THEIRS} lw 1.5 lc rgb '#aaaaaa'"
              for i, roof in enumerate(filter(None, map(roof_of, others)))]
    curves.append(f"roof({mine[0]}, {mine[1]}, x) title '{own.parent.name}' lw 4 lc rgb '#1f5fa8'")
    script = SCRIPT.format(output=output.name, curves=", \\\n  ".join(curves))
    subprocess.run(["gnuplot"], input=script, encoding="utf-8", check=True, cwd=output.parent)
