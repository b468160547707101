import Foundation
import Testing

/// Servers that close kept-alive connections without a word, on real sockets.
struct StaleConnectionTests {
    /// A server whose connections are dead after some requests, but look alive: the next request
    /// is read, and answered by the connection's end. It counts its connections.
    private static let server = """
        import asyncio, sys
        count = 0

        async def serve(reader, writer, left):
            global count
            count += 1
            try:
                while line := await reader.readline():
                    length = 0
                    while (field := (await reader.readline()).strip()):
                        if field.lower().startswith(b"content-length:"):
                            length = int(field.split(b":")[1])
                    await reader.readexactly(length)
                    if line.split()[1] != b"/count":
                        left -= 1
                    if left < 0:
                        break
                    body = b"%d" % count if line.split()[1] == b"/count" else line.split()[0]
                    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s"
                                 % (len(body), body))
                    await writer.drain()
            except (ConnectionError, asyncio.IncompleteReadError):
                pass
            writer.close()

        async def main():
            server = await asyncio.start_server(
                lambda reader, writer: serve(reader, writer, int(sys.argv[1])), "127.0.0.1", 0)
            print(server.sockets[0].getsockname()[1], flush=True)
            await server.serve_forever()

        asyncio.run(main())
        """

    private static func serve(requestsAConnection count: Int) throws -> (Service, url: String) {
        let service = try Service(Tool.find("python3") ?? "", ["-c", server, String(count)])
        return (service, "http://127.0.0.1:\(try service.readLine())")
    }

    @Test func `a POST is never sent over a server connection left over from another client`()
        throws
    {
        let (service, url) = try Self.serve(requestsAConnection: 1)
        let proxy = try Daemon()
        for number in 0..<40 {
            let outcome = try proxy.curl("-d", "x", "-w", "%{http_code}", url + "/\(number)")
            #expect(outcome.text == "POST200", "\(number)")
        }
        withExtendedLifetime(service) {}
    }

    @Test
    func `if a reused server connection is dead, proxyd disconnects the client, and curl retries`()
        throws
    {
        let (service, url) = try Self.serve(requestsAConnection: 1)
        let proxy = try Daemon()
        let outcome = try proxy.curl("-d", "x", "-w", "%{http_code}\\n", url + "/1", url + "/2")
        #expect(outcome.text == "POST200\nPOST200\n", "\(outcome.errors)")
        let rows = try proxy.rows(count: 3)
        #expect(rows.map { $0.text("state") } == ["complete", "failed", "complete"])
        #expect(rows.count == 3 && rows[1].isNull("status"))
        #expect(rows.count == 3 && rows[1].text("error")?.contains("no answer was sent") == true)
        withExtendedLifetime(service) {}
    }

    /// A number of clients that keep their connections, each sending a number of POSTs.
    private static let clients = """
        import asyncio, sys
        url = sys.argv[2]
        proxy, clients, posts = int(sys.argv[1]), int(sys.argv[3]), int(sys.argv[4])

        async def run():
            reader, writer = await asyncio.open_connection("127.0.0.1", proxy)
            for _ in range(posts):
                writer.write(b"POST %s/p HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: 2\\r\\n\\r\\nhi"
                             % url.encode())
                head = await reader.readuntil(b"\\r\\n\\r\\n")
                assert head.startswith(b"HTTP/1.1 200 "), head
                assert await reader.readexactly(4) == b"POST"
            return writer

        async def main():
            done = await asyncio.gather(*[run() for _ in range(clients)])
            print(len(done))

        asyncio.run(main())
        """

    @Test func `each client with a kept-alive connection uses only one server connection`() throws {
        let (service, url) = try Self.serve(requestsAConnection: 1_000)
        let proxy = try Daemon(configuration: "[threads]\nloop_count = 1\n")
        let outcome = try Tool.run(
            "python3", ["-c", Self.clients, String(proxy.port), url, "100", "20"])
        #expect(outcome.text == "100\n", "\(outcome.errors)")
        let count = try Tool.run("curl", ["-sS", url + "/count"]).text
        #expect(count == "101")
        withExtendedLifetime(service) {}
    }

    @Test func `a TLS connection to a server that sends session tickets is reused`() throws {
        let certificate = try TestCertificate()
        let origin = try Origin(tls: certificate)
        let proxy = try Daemon(trusting: certificate)
        for _ in 0..<3 { try proxy.curl(origin.url("/1")) }
        let reused = try proxy.rows(count: 3).map {
            try proxy.show($0).row("timeline")?.int("connection_reused")
        }
        #expect(reused == [0, 1, 1])
    }
}
