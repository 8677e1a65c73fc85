"""The example page of `keepstate replay`: a day of orders, made up, and a restart at noon.

    python examples/replay_page.py [--output FOLDER]

Without a folder it writes docs/replay-example.html and docs/images/replay.png. Equal rows make equal pages. Needs Spark
(`pip install '.[replay]'`) and no network.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from keepstate_lsp.cli.main import main as keepstate

DOCS = Path(__file__).parents[1] / "docs"
MORNING, EVENING = datetime(2026, 3, 2, 6), datetime(2026, 3, 2, 18)
SHOPS, PER_MINUTE = 120, 25
REGIONS = ("north", "south", "east", "west")
DEPLOYED = """\
CREATE TABLE orders (
  shop STRING,
  region STRING,
  amount INT,
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = 'orders.jsonl', 'format' = 'json');

INSERT INTO last_two_hours
SELECT window_start, window_end, shop, SUM(amount) AS revenue, COUNT(*) AS orders
FROM TABLE(HOP(TABLE orders, DESCRIPTOR(order_time), INTERVAL '5' MINUTE, INTERVAL '2' HOUR))
GROUP BY window_start, window_end, shop;

INSERT INTO shops
SELECT shop, SUM(amount) AS revenue, COUNT(*) AS orders FROM orders GROUP BY shop;

INSERT INTO regions
SELECT window_start, window_end, region, SUM(amount) AS revenue
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, region;
"""
EDITED = DEPLOYED.replace(
    "COUNT(*) AS orders\nFROM TABLE(HOP", "COUNT(*) AS orders, MAX(amount) AS largest\nFROM TABLE(HOP"
).replace("COUNT(*) AS orders FROM orders", "COUNT(*) AS orders, MAX(amount) AS largest FROM orders")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", metavar="FOLDER", type=Path, help="write all files of the replay there instead")
    options = parser.parse_args()
    output: Path | None = options.output and options.output.absolute()
    with tempfile.TemporaryDirectory() as folder:
        # Names on the page are those that a user types in the folder of the job.
        os.chdir(folder)
        Path("deployed.sql").write_text(DEPLOYED, "utf-8")
        Path("orders.sql").write_text(EDITED, "utf-8")
        Path("orders.jsonl").write_text("".join(f"{json.dumps(order)}\n" for order in orders()), "utf-8")
        time = ("--restart-at", "2026-03-02 12:07")
        status = keepstate(["replay", "orders.sql", "--against", "file:deployed.sql", *time, "--output", "replay"])
        if status:
            return status
        if output is not None:
            shutil.copytree("replay", output, dirs_exist_ok=True)
        else:
            shutil.copy("replay/report.html", DOCS / "replay-example.html")
            shutil.copy("replay/report.png", DOCS / "images" / "replay.png")
    return 0


def orders() -> Iterator[dict[str, str | int]]:
    """Few in the morning, more towards the evening; a few shops have most of them."""
    chance = random.Random(1)
    time = MORNING
    while time < EVENING:
        share = (time - MORNING) / (EVENING - MORNING)
        time += timedelta(seconds=chance.expovariate(PER_MINUTE * (0.4 + math.sin(math.pi * share)) / 60))
        shop = min(int(chance.paretovariate(0.7)), SHOPS)
        yield {
            "shop": f"shop {shop:03}",
            "region": REGIONS[shop % len(REGIONS)],
            "amount": int(chance.lognormvariate(3.5, 0.8)) + 1,
            "order_time": time.isoformat(" ", "milliseconds"),
        }


if __name__ == "__main__":
    sys.exit(main())
