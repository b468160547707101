import Foundation
import ProxydTestSupport

/// The scripted HTTP server that requests are sent to; see Servers/origin.py.
final class Origin: @unchecked Sendable {
    // Proof: nothing in it changes after init.
    let port: Int
    let scheme: String
    private let service: Service

    init(tls: TestCertificate? = nil, root: String? = nil) throws {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Servers/origin.py").path
        var arguments = [script]
        if let tls { arguments += ["--tls", tls.certificatePath, tls.keyPath] }
        if let root { arguments += ["--root", root] }
        scheme = tls == nil ? "http" : "https"
        service = try Service(python, arguments)
        guard let port = Int(try service.readLine()) else {
            throw Tool.Failure(description: "the origin printed no port")
        }
        self.port = port
    }

    var authority: String { "\(scheme == "https" ? "localhost" : "127.0.0.1"):\(port)" }

    func url(_ path: String) -> String { "\(scheme)://\(authority)\(path)" }
}

/// A self-signed certificate for localhost, made with the openssl program.
final class TestCertificate {
    private let directory: ScratchFolder
    var certificatePath: String { directory.path + "/cert.pem" }
    var keyPath: String { directory.path + "/key.pem" }

    init(
        names: String = "DNS:localhost,IP:127.0.0.1", extra: [String] = ["-days", "30"]
    ) throws {
        directory = try ScratchFolder()
        let outcome = try Tool.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", directory.path + "/key.pem", "-out", directory.path + "/cert.pem",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)",
            ] + extra)
        guard outcome.status == 0 else { throw Tool.Failure(description: outcome.errors) }
    }
}

/// A TCP server that sends back what it gets, to stand at the end of opaque tunnels.
final class EchoServer {
    let port: Int
    private let service: Service

    private static let script = """
        import asyncio, os, sys
        async def echo(reader, writer):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
            writer.close()
        async def main():
            server = await asyncio.start_server(echo, '127.0.0.1', 0)
            print(server.sockets[0].getsockname()[1], flush=True)
            asyncio.get_running_loop().run_in_executor(
                None, lambda: (sys.stdin.read(), os._exit(0)))
            await server.serve_forever()
        asyncio.run(main())
        """

    init() throws {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        service = try Service(python, ["-c", EchoServer.script])
        guard let port = Int(try service.readLine()) else {
            throw Tool.Failure(description: "the echo server printed no port")
        }
        self.port = port
    }
}

/// A server that answers when the test says so, with the bytes that the test says.
final class ScriptedOrigin {
    /// How long a request may take to come, in milliseconds.
    private static let patienceMs: Int32 = 60_000

    let port: Int
    private let listener: Int32
    private var connections: [Int32: [UInt8]] = [:]

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw Tool.Failure(description: "cannot listen") }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { for descriptor in [listener] + connections.keys { close(descriptor) } }

    /// Waits for a request, and answers it.
    func answer(_ response: [UInt8]) throws -> WholeMessage {
        while true {
            for (connection, bytes) in connections {
                let request = try WholeMessage(request: bytes)
                guard request.isComplete else { continue }
                connections[connection] = request.rest
                _ = response.withUnsafeBytes {
                    send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                return request
            }
            guard take(waitingMs: ScriptedOrigin.patienceMs) else {
                throw Tool.Failure(description: "no request came")
            }
        }
    }

    /// Whether anything has come that is not answered.
    var hasRequest: Bool {
        while take(waitingMs: 0) {}
        return connections.values.contains { !$0.isEmpty }
    }

    /// Takes a connection or bytes; whether there were any.
    private func take(waitingMs: Int32) -> Bool {
        var watched = ([listener] + connections.keys).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        guard poll(&watched, nfds_t(watched.count), waitingMs) > 0 else { return false }
        for one in watched where one.revents != 0 {
            if one.fd == listener {
                connections[accept(listener, nil, nil)] = []
            } else {
                receive(from: one.fd)
            }
        }
        return true
    }

    private func receive(from connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &buffer, buffer.count, 0)
        if count > 0 {
            connections[connection, default: []] += buffer[..<count]
        } else {
            connections[connection] = nil
            close(connection)
        }
    }
}

/// A server that tells every request it got, byte for byte.
final class ReplayOrigin {
    let port: Int
    private let service: Service

    /// Answers `/gone` once with 200 and then with 410, `/count` with the request's number, and
    /// anything else with `ok`.
    private static let script = """
        import asyncio, base64, os, ssl, sys
        count = 0
        seen = set()
        async def serve(reader, writer):
            global count
            try:
                while True:
                    raw = await reader.readuntil(b'\\r\\n\\r\\n')
                    lines = raw.split(b'\\r\\n')
                    fields = {l.split(b':', 1)[0].strip().lower(): l.split(b':', 1)[1].strip()
                              for l in lines[1:] if b':' in l}
                    if b'chunked' in fields.get(b'transfer-encoding', b'').lower():
                        while True:
                            line = await reader.readline()
                            raw += line
                            size = int(line, 16)
                            raw += await reader.readexactly(size + 2) if size else b''
                            if not size:
                                while True:
                                    line = await reader.readline()
                                    raw += line
                                    if line == b'\\r\\n':
                                        break
                                break
                    else:
                        raw += await reader.readexactly(int(fields.get(b'content-length', 0)))
                    count += 1
                    path = lines[0].split(b' ')[1]
                    status = b'410 Gone' if path in seen and path == b'/gone' else b'200 OK'
                    seen.add(path)
                    body = b'%d' % count if path == b'/count' else b'ok'
                    print(base64.b64encode(raw).decode(), flush=True)
                    writer.write(b'HTTP/1.1 %s\\r\\nContent-Length: %d\\r\\n\\r\\n%s'
                                 % (status, len(body), body))
                    await writer.drain()
            except (asyncio.IncompleteReadError, ConnectionError):
                writer.close()
        async def main():
            context = None
            if len(sys.argv) > 1:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(sys.argv[1], sys.argv[2])
            server = await asyncio.start_server(serve, '127.0.0.1', 0, ssl=context)
            print(server.sockets[0].getsockname()[1], flush=True)
            asyncio.get_running_loop().run_in_executor(
                None, lambda: (sys.stdin.read(), os._exit(0)))
            await server.serve_forever()
        asyncio.run(main())
        """

    init(tls: TestCertificate? = nil) throws {
        guard let python = Tool.find("python3") else {
            throw Tool.Failure(description: "python3 is not installed")
        }
        let files = tls.map { [$0.certificatePath, $0.keyPath] } ?? []
        service = try Service(python, ["-c", ReplayOrigin.script] + files)
        guard let port = Int(try service.readLine()) else {
            throw Tool.Failure(description: "the origin printed no port")
        }
        self.port = port
    }

    var authority: String { "127.0.0.1:\(port)" }

    /// The next request that came, one byte a character.
    func nextRequest() throws -> String {
        guard let bytes = Data(base64Encoded: try service.readLine()) else {
            throw Tool.Failure(description: "no base64")
        }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The next requests.
    func nextRequests(_ count: Int) throws -> [String] {
        try (0..<count).map { _ in try nextRequest() }
    }
}
