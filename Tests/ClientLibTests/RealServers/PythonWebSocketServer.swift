import Foundation
import ProxydTestSupport

/// WebSockets of the Python package `websockets` on loopback, one port for each way to compress.
final class PythonWebSocketServer: Sendable {
    /// How messages are compressed.
    enum Form: String, CaseIterable, Sendable {
        case none
        /// One context for all messages.
        case takeover
        /// A context for each message.
        case fresh
        /// Windows of 512 bytes.
        case small
    }

    private static let python = "/usr/bin/python3"

    /// Whether the package is installed.
    static func isInstalled() async -> Bool {
        let isThere = try? await OwnThread.run {
            try ServerProcess(python, ["-c", "import websockets.legacy"], in: ScratchFolder())
                .endsWell(limitSeconds: 60)
        }
        return isThere ?? false
    }

    private static let starting = Task { try await OwnThread.run { try PythonWebSocketServer() } }
    /// One for all tests.
    static func shared() async throws -> PythonWebSocketServer { try await starting.value }

    private let process: ServerProcess
    private let ports: [String: Int]

    private init() throws {
        let scratch = try ScratchFolder()
        let file = scratch.url.appending(path: "server.py")
        try Data(PythonWebSocketServer.script.utf8).write(to: file)
        process = try ServerProcess(
            PythonWebSocketServer.python, ["-W", "ignore", file.path], in: scratch)
        let ready = scratch.url.appending(path: "ports")
        guard process.waitUntil({ ready.bytes?.last == 0x0A }) else {
            throw ServerUnavailable(description: "websockets does not start: \(process.printed)")
        }
        ports = try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: ready))
    }

    func url(_ path: String, _ form: Form = .none) throws -> String {
        guard let port = ports[form.rawValue] else {
            throw ServerUnavailable(description: "\(form) has no port")
        }
        return "ws://127.0.0.1:\(port)/\(path)"
    }

    /// `/both` says kind, size and SHA-256 of each message and sends it back, `/echo` only the
    /// latter; `/close/CODE/REASON` closes; `/ping` says yes when its ping was answered;
    /// `/fragments` sends a text and bytes in pieces; `/end/PATH` tells the code and the reason
    /// that the connection to PATH was closed with, once it was.
    private static let script = """
        import asyncio, hashlib, json
        from websockets.exceptions import ConnectionClosed
        from websockets.extensions import permessage_deflate
        from websockets.legacy.server import serve

        Deflate = permessage_deflate.ServerPerMessageDeflateFactory
        FORMS = {
            "none": None,
            "takeover": [Deflate()],
            "fresh": [Deflate(server_no_context_takeover=True, client_no_context_takeover=True)],
            "small": [Deflate(server_max_window_bits=9, client_max_window_bits=9)],
        }
        ends = {}

        def end(path):
            return ends.setdefault(path, asyncio.get_running_loop().create_future())

        async def greet(socket, words):
            if words[0] == "close":
                await socket.close(int(words[1]), words[2])
            if words[0] == "ping":
                await (await socket.ping(b"are you there"))
                await socket.send("yes")
            if words[0] == "fragments":
                await socket.send(["Grü", "", "ße 🙂"])
                await socket.send([b"ab", b"", bytes(100_000)])
            if words[0] == "end":
                await socket.send(await end("/" + "/".join(words[1:])))

        async def handle(socket, path):
            words = path[1:].split("/")
            try:
                await greet(socket, words)
                while True:
                    message = await socket.recv()
                    octets = message.encode() if isinstance(message, str) else message
                    digest = hashlib.sha256(octets).hexdigest()
                    if words[0] == "both":
                        await socket.send(f"{type(message).__name__} {len(octets)} {digest}")
                    await socket.send(message)
            except ConnectionClosed:
                pass
            await socket.wait_closed()
            if not end(path).done():
                end(path).set_result(f"{socket.close_code} {socket.close_reason}")

        async def main():
            ports = {}
            for form, extensions in FORMS.items():
                server = await serve(
                    handle, "127.0.0.1", 0, extensions=extensions, compression=None,
                    max_size=2 << 20, ping_interval=None)
                ports[form] = server.sockets[0].getsockname()[1]
            with open("ports", "w") as file:
                file.write(json.dumps(ports) + "\\n")
            await asyncio.get_running_loop().create_future()

        asyncio.run(main())
        """
}
