"""Exchanges with messages, as lines of JSON for an import: gRPC calls and a WebSocket."""

import base64
import struct

START = "2026-01-05T09:00:00Z"
# 4615063718147915776 has more digits than a number of JavaScript keeps.
LONG_NUMBER = 4_615_063_718_147_915_776


def message(number, position, direction, kind, payload):
    return {
        "message_of": number, "position": position, "direction": direction, "kind": kind,
        "base64": base64.b64encode(payload).decode(), "offset_ns": 1_000_000 * (position + 1),
    }


def varint(value):
    digits = b""
    while value > 127:
        digits += bytes([value & 127 | 128])
        value >>= 7
    return digits + bytes([value])


# Field 1 is a text, 2 a number, 3 a message, 4 a long number.
USER = b"\x0a\x03ada" + b"\x10\x05" + b"\x1a\x02\x08\x07" + b"\x20" + varint(LONG_NUMBER)


def grpc_call(number, method, status, why):
    """A call whose only message in each direction is a user."""
    fields = [["Content-Type", "application/grpc"]]
    trailers = f"grpc-status: {status}\r\ngrpc-message: {why}\r\n\r\n".encode()
    return [
        {
            "id": number, "started_at": START, "method": "POST",
            "url": f"https://shop.test/shop.Shop/{method}", "http_version": "HTTP/2",
            "status": 200, "protocol": "grpc", "grpc_status": status,
            "request": {"headers": fields},
            "response": {"headers": fields},
            "_capture": {"response": {"trailers": base64.b64encode(trailers).decode()}},
        },
        message(number, 0, "to_server", "grpc", USER),
        message(number, 1, "to_client", "grpc", USER),
    ]


def web_socket(number):
    return [
        {
            "id": number, "started_at": START, "method": "GET", "url": "https://shop.test/live",
            "status": 101, "upgraded_to": "websocket",
            "request": {"headers": [["Upgrade", "websocket"]]},
            "response": {"headers": [["Upgrade", "websocket"]]},
        },
        message(number, 0, "to_server", "text", b'{"subscribe":["orders"],"since":4615063718147915776}'),
        message(number, 1, "to_client", "binary", bytes([0, 1, 254, 255])),
        message(number, 2, "to_server", "ping", b""),
        message(number, 3, "to_client", "close", struct.pack(">H", 1000) + b"bye"),
        message(number, 4, "to_server", "close", struct.pack(">H", 1000)),
    ]
