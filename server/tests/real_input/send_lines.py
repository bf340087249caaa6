"""Sends the lines of a log file to Palisade with the OpenTelemetry SDK, one record a line.

usage: PALISADE_LOGS_URL=... PALISADE_API_KEY=... send_lines.py SERVICE FILE
"""

import logging
import os
import sys

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.instrumentation.logging.handler import LoggingHandler
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource


class Failures(logging.Handler):
    """The SDK never raises for what it could not deliver; it only logs it."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.seen = []

    def emit(self, record):
        self.seen.append(record.getMessage())


def main(service, path):
    failures = Failures()
    logging.getLogger("opentelemetry").addHandler(failures)

    exporter = OTLPLogExporter(
        endpoint=os.environ["PALISADE_LOGS_URL"],
        headers={"authorization": "Bearer " + os.environ["PALISADE_API_KEY"]},
        compression=Compression.Gzip,
        timeout=10,
    )
    provider = LoggerProvider(resource=Resource.create({"service.name": service, "host.name": "bastion-1"}))
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))

    lines = logging.getLogger("lines")
    lines.setLevel(logging.INFO)
    lines.propagate = False
    lines.addHandler(LoggingHandler(logger_provider=provider))
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            lines.info("%s", line.rstrip("\r\n"))
    provider.force_flush()
    provider.shutdown()
    if failures.seen:
        sys.exit("not delivered: " + "; ".join(failures.seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
