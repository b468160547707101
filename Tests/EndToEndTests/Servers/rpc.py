#!/usr/bin/env python3
"""gRPC with grpcio, as a server and as a client behind a proxy. There are no descriptions: messages are bytes.

    rpc.py serve [CERT KEY]           prints its port
    rpc.py ask PROXY TARGET [CA]      makes all calls and prints what each sent and got, a line of JSON each
    rpc.py crowd PROXY TARGET [CA]    makes 200 calls at once
    rpc.py many PROXY TARGET [CA]     makes 2,500 small calls one after another, then sends 2,500 small messages on one
                                      stream, each after the answer to the one before; prints both counts of answers
    rpc.py chat PROXY TARGET [CA]     says two messages and hears two, prints "open", and goes on when its input ends

PROXY is a port, or - for none. A message is told by its length and its first byte; `pattern` has the rest of it.
"""
import concurrent.futures
import json
import os
import sys
import threading

import grpc

SERVICE = "proxyd.test.Calls"
OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


def pattern(length, first):
    unit = bytes((first + place * 7) % 251 for place in range(251))
    return (unit * (length // 251 + 1))[:length]


def told(message):
    """A message as [length, first byte]; fails where it is not its pattern."""
    first = message[0] if message else 0
    if message != pattern(len(message), first):
        raise RuntimeError("a message was changed on its way")
    return [len(message), first]


def answer(message):
    length, first = told(message)
    return pattern(length, (first + 1) % 251)


# MARK: Server

def echo(request, context):
    if ("with-gzip", "1") in context.invocation_metadata():
        context.set_compression(grpc.Compression.Gzip)
    return answer(request)


def down(request, context):
    told(request)
    for place in range(len(request)):
        yield pattern(place * 1000, place)


def up(requests, context):
    return pattern(sum(told(request)[0] for request in requests), 9)


def chat(requests, context):
    for request in requests:
        yield answer(request)


def refuse(request, context):
    context.abort(grpc.StatusCode.NOT_FOUND, "nicht da: ü % \n")


def give_up(request, context):
    yield answer(request)
    context.abort(grpc.StatusCode.ABORTED, "enough")


def wait(request, context):
    over = threading.Event()
    context.add_callback(over.set)
    yield answer(request)
    over.wait()


def serve(files):
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(16), options=OPTIONS)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {
        "Echo": grpc.unary_unary_rpc_method_handler(echo),
        "Down": grpc.unary_stream_rpc_method_handler(down),
        "Up": grpc.stream_unary_rpc_method_handler(up),
        "Chat": grpc.stream_stream_rpc_method_handler(chat),
        "Refuse": grpc.unary_unary_rpc_method_handler(refuse),
        "GiveUp": grpc.unary_stream_rpc_method_handler(give_up),
        "Wait": grpc.unary_stream_rpc_method_handler(wait),
    }),))
    if files:
        certificate, key = (open(file, "rb").read() for file in files)
        credentials = grpc.ssl_server_credentials([(key, certificate)])
        port = server.add_secure_port("localhost:0", credentials)
    else:
        port = server.add_insecure_port("localhost:0")
    server.start()
    print(port, flush=True)
    sys.stdin.read()


# MARK: Client

def connect(proxy, target, authority=None):
    options = OPTIONS + [("grpc.enable_http_proxy", int(proxy != "-"))]
    if proxy != "-":
        options.append(("grpc.http_proxy", f"http://127.0.0.1:{proxy}"))
    if authority:
        credentials = grpc.ssl_channel_credentials(open(authority, "rb").read())
        return grpc.secure_channel(f"localhost:{target}", credentials, options)
    return grpc.insecure_channel(f"localhost:{target}", options)


class Calls:
    def __init__(self, channel):
        self.channel = channel

    def line(self, method, sent, got, error=None):
        print(json.dumps({
            "method": method, "sent": [told(message) for message in sent], "got": [told(message) for message in got],
            "code": error.code().value[0] if error else 0, "details": error.details() if error else "",
        }), flush=True)

    def unary(self, method, message, **options):
        try:
            got = [self.channel.unary_unary(f"/{SERVICE}/{method}")(message, timeout=60, **options)]
            self.line(method, [message], got)
        except grpc.RpcError as error:
            self.line(method, [message], [], error)

    def streamed(self, method, message, timeout=60, cancels=False):
        call = self.channel.unary_stream(f"/{SERVICE}/{method}")(message, timeout=timeout)
        got = []
        try:
            for reply in call:
                got.append(reply)
                if cancels:
                    call.cancel()
            self.line(method, [message], got)
        except grpc.RpcError as error:
            self.line(method, [message], got, error)

    def all(self):
        self.unary("Echo", pattern(5, 1))
        self.unary("Echo", b"")
        self.unary("Echo", pattern(8 << 20, 2))
        self.unary("Echo", pattern(100_000, 3), compression=grpc.Compression.Gzip, metadata=[("with-gzip", "1")])
        self.streamed("Down", pattern(5, 4))
        messages = [pattern(length, 5) for length in (1, 2, 70_000)]
        self.line("Up", messages, [self.channel.stream_unary(f"/{SERVICE}/Up")(iter(messages), timeout=60)])
        self.line("Chat", messages, list(self.channel.stream_stream(f"/{SERVICE}/Chat")(iter(messages), timeout=60)))
        self.unary("Refuse", pattern(3, 6))
        self.streamed("GiveUp", pattern(3, 7))
        self.streamed("Wait", pattern(3, 8), timeout=1)
        self.streamed("Wait", pattern(3, 9), cancels=True)

    def crowd(self):
        call = self.channel.unary_unary(f"/{SERVICE}/Echo")
        sent = [pattern(place * 40, place) for place in range(200)]
        futures = [call.future(message, timeout=60) for message in sent]
        for message, future in zip(sent, futures):
            self.line("Echo", [message], [future.result()])

    def many(self):
        count = int(os.environ.get("MANY", 2500))
        echo = self.channel.unary_unary(f"/{SERVICE}/Echo")
        calls = sum(told(echo(pattern(2, place % 250), timeout=60)) == [2, (place % 250 + 1) % 251] for place in range(count))
        heard = threading.Semaphore(1)

        def messages():
            for place in range(count):
                heard.acquire()
                yield pattern(2, place % 250)

        answers = 0
        for reply in self.channel.stream_stream(f"/{SERVICE}/Chat")(messages(), timeout=600):
            answers += told(reply)[0] == 2
            heard.release()
        print(json.dumps({"calls": calls, "answers": answers}), flush=True)

    def chat(self):
        goes_on = threading.Event()

        def messages():
            yield pattern(10, 1)
            yield pattern(20, 2)
            goes_on.wait()
            yield pattern(30, 3)

        replies = self.channel.stream_stream(f"/{SERVICE}/Chat")(messages(), timeout=120)
        got = [next(replies), next(replies)]
        print("open", flush=True)
        sys.stdin.read()
        goes_on.set()
        self.line("Chat", [pattern(10, 1), pattern(20, 2), pattern(30, 3)], got + list(replies))


what, *arguments = sys.argv[1:]
if what == "serve":
    serve(arguments)
else:
    with connect(*arguments) as channel:
        calls = Calls(channel)
        {"ask": calls.all, "crowd": calls.crowd, "many": calls.many, "chat": calls.chat}[what]()
