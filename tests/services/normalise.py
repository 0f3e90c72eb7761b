"""Runs Relay's normaliser over events, one JSON document a line, and prints what it finds fault with.

For each line of its input it prints one: a JSON list of {"path", "error", "value"}.
"""

import json
import sys

from sentry_relay.processing import StoreNormalizer


def faults(meta, path=""):
    """What Relay notes about invalid and shortened values: https://develop.sentry.dev/sdk/"""
    if not isinstance(meta, dict):
        return
    for key, value in meta.items():
        if key:
            yield from faults(value, f"{path}.{key}" if path else key)
            continue
        for error in value.get("err", []):
            name = error if isinstance(error, str) else error[0]
            yield {"path": path, "error": name, "value": value.get("val")}


normalizer = StoreNormalizer(project_id=1, is_renormalize=False, enable_trimming=True)
for line in sys.stdin:
    event = normalizer.normalize_event(raw_event=line)
    print(json.dumps(list(faults(event.get("_meta")))))
