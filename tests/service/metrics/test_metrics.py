"""What /metrics and /healthz tell."""

import platform
from urllib.error import HTTPError
from urllib.request import urlopen

import grpc
import pytest
from service.serving import ServerProcess, refused

import pricing
from pricing.baccarat.v1 import pricing_service_pb2 as pb
from pricing.baccarat.v1.pricing_service_pb2_grpc import PricingServiceStub

REQUEST = pb.PriceRequest(game_type="bet-on-baccarat")
SERVICE = 'grpc_service="pricing.baccarat.v1.PricingService"'


def labels(method: str, shape: str = "unary", code: str | None = None) -> str:
    first = f'grpc_code="{code}",' if code else ""
    return f'{{{first}grpc_method="{method}",{SERVICE},grpc_type="{shape}"}}'


def test_calls_are_counted(server: ServerProcess, stub: PricingServiceStub) -> None:
    for _ in range(3):
        stub.Price(REQUEST)
    for _ in range(2):
        with refused(grpc.StatusCode.INVALID_ARGUMENT):
            stub.Price(pb.PriceRequest(game_type="x"))
    wrong = pb.StreamPricesRequest(request=pb.PriceRequest(game_type="x"))
    assert len(list(stub.StreamPrices(iter([pb.StreamPricesRequest(request=REQUEST), wrong])))) == 2
    with server.channel() as channel, refused(grpc.StatusCode.UNIMPLEMENTED):
        channel.unary_unary("/what/ever")(b"")
    found = server.metrics()
    stream = labels("StreamPrices", "bidi_stream")
    assert found[f"grpc_server_started_total{labels('Price')}"] == 5
    assert found[f"grpc_server_handled_total{labels('Price', code='OK')}"] == 3
    assert found[f"grpc_server_handled_total{labels('Price', code='InvalidArgument')}"] == 2
    assert found[f"grpc_server_in_flight_calls{labels('Price')}"] == 0
    assert found[f"grpc_server_handling_seconds_count{labels('Price')}"] == 5
    assert 0 < found[f"grpc_server_handling_seconds_sum{labels('Price')}"] < 1
    assert found[f"grpc_server_msg_received_total{stream}"] == found[f"grpc_server_msg_sent_total{stream}"] == 2
    reason = 'reason="UNKNOWN_GAME_TYPE"}'
    assert found[f'baccarat_pricing_errors_total{{grpc_method="Price",{SERVICE},{reason}'] == 2
    assert found[f'baccarat_pricing_errors_total{{grpc_method="StreamPrices",{SERVICE},{reason}'] == 1
    unknown = 'grpc_code="Unimplemented",grpc_method="unknown",grpc_service="unknown",grpc_type="unknown"'
    assert found[f"grpc_server_handled_total{{{unknown}}}"] == 1
    build = f'grpc="{grpc.__version__}",python="{platform.python_version()}",version="{pricing.__version__}"'
    assert found[f"baccarat_pricing_build_info{{{build}}}"] == 1
    assert found["process_resident_memory_bytes"] > 0


def test_labels_stay_few_whatever_is_called(server: ServerProcess) -> None:
    with server.channel() as channel:
        for number in range(50):
            with refused(grpc.StatusCode.UNIMPLEMENTED):
                channel.unary_unary(f"/made.up/Method{number}")(b"")
    assert not [name for name in server.metrics() if "made.up" in name]


def test_pages(server: ServerProcess) -> None:
    with urlopen(f"http://{server.http}/healthz") as response:
        assert (response.status, response.read()) == (200, b'{"status": "200 OK"}')
    with urlopen(f"http://{server.http}/metrics") as response:
        assert response.headers["Content-Type"].startswith("text/plain")
    with pytest.raises(HTTPError) as missing, urlopen(f"http://{server.http}/"):
        pass
    assert missing.value.code == 404
    missing.value.close()
