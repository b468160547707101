import Foundation

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
