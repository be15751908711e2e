#!/usr/bin/env bash
# A thousand kill -9 at random moments of storms over 200 watch points, against a mail server and two push services that are slow
# and unwell; prints the counts after each storm. The test suite makes ten. Arguments: how many kills, and the seed.
set -euo pipefail
cd "$(dirname "$0")/.."
STORMBELL_DELIVERY_KILLS="${1:-1000}" STORMBELL_KILL_SEED="${2:-$RANDOM}" \
  cargo test --release --test it kill_delivery::a_storm -- --nocapture
