"""What the server has done, in numbers that Prometheus collects."""

from collections.abc import Iterator

from fastapi import Request
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector

from lamina import clock
from lamina.core.permissions import Permission
from lamina.errors import ForbiddenError, StoreError
from lamina.memory import Memory
from lamina.surfaces.http.pulse import Part, Pulse
from lamina.surfaces.http.routing import Called, Routes, engine_of

ROUTES = Routes(tag="server")


class Meter:
    """The counters of one server."""

    def __init__(self, whole: Memory, pulse: Pulse) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "lamina_requests", "Requests by route and status.", ("method", "route", "status"),
            registry=self.registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "lamina_request_seconds", "How long answers took.", ("method", "route"),
            registry=self.registry,
        )  # fmt: skip
        self.registry.register(_Store(whole, pulse))

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """One request was answered."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)


class _Store(Collector):
    """What is asked of the store when somebody collects."""

    def __init__(self, whole: Memory, pulse: Pulse) -> None:
        self._whole = whole
        self._pulse = pulse

    def collect(self) -> Iterator[Metric]:
        """The numbers as they are now; those of a store that is away are left out."""
        found = list[Metric]()
        is_there = True
        for count in (self._vectors, self._records):
            try:
                found.append(count())
            except StoreError:
                is_there = False
        yield GaugeMetricFamily("lamina_store_up", "Whether the store answers.", is_there)
        yield from found
        since = GaugeMetricFamily(
            "lamina_last_success_age_seconds", "Since a part last worked.", labels=["part"]
        )
        for part in Part:
            worked = self._pulse.beat(part).worked_at
            if worked is not None:
                since.add_metric([part.value], (clock.now() - worked).total_seconds())
        yield since

    def _vectors(self) -> Metric:
        vectors = self._whole.vectors()
        counts = GaugeMetricFamily("lamina_vectors", "Vectors by how far they are.", labels=["is"])
        for name in ("made", "pending", "refused", "set_aside"):
            counts.add_metric([name], getattr(vectors, name))
        return counts

    def _records(self) -> Metric:
        return GaugeMetricFamily("lamina_records", "Current records.", self._whole.count())


@ROUTES.add("GET", "/metrics", Permission.ADMIN, in_outages=True, include_in_schema=False)
def read_metrics(request: Request, caller: Called) -> Response:
    """What the server has done, for Prometheus."""
    if not caller.principal.is_owner:
        raise ForbiddenError(
            "this tells of everybody's records", remedy="Show the key of an admin without a project"
        )
    text = generate_latest(engine_of(request).meter.registry)
    return Response(text, media_type=CONTENT_TYPE_LATEST)
