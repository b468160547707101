import Foundation
import ProxydTestSupport
import Testing

/// Answers that come before the request has been read, and clients that write all they have before
/// they read: Python's http.client, and a socket that is written to and then read.
struct EarlyAnswerTests {
    /// A server that answers 413 to every head and reads no more of it, plain and over TLS.
    private static let script = """
        import http.client, json, socket, ssl, sys, threading
        port, authority, certificate, key = int(sys.argv[1]), *sys.argv[2:5]
        answer = (b"HTTP/1.1 413 Content Too Large\\r\\nContent-Length: 7\\r\\n"
                  b"Connection: close\\r\\n\\r\\ntoo big")

        def serve(listener, context):
            while True:
                connection = listener.accept()[0]
                threading.Thread(target=refuse, args=(connection, context), daemon=True).start()

        def refuse(connection, context):
            if context:
                connection = context.wrap_socket(connection, server_side=True)
            octets = b""
            while b"\\r\\n\\r\\n" not in octets:
                octets += connection.recv(65536)
            connection.sendall(answer)
            try:
                while connection.recv(65536):
                    pass
            except OSError:
                pass

        def listen(context=None):
            listener = socket.create_server(("127.0.0.1", 0))
            threading.Thread(target=serve, args=(listener, context), daemon=True).start()
            return listener.getsockname()[1]

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        plain, secure = listen(), listen(context)
        body = b"x" * (20 << 20)
        trusted = ssl.create_default_context(cafile=authority)

        def library(connection, target, host):
            connection.putrequest("POST", target, skip_host=True)
            connection.putheader("Host", host)
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            connection.send(body)
            response = connection.getresponse()
            return [response.status, len(response.read())]

        def raw(target, host):
            connection = socket.create_connection(("127.0.0.1", port))
            head = "POST %s HTTP/1.1\\r\\nHost: %s\\r\\nContent-Length: %d\\r\\n\\r\\n"
            connection.sendall((head % (target, host, len(body))).encode() + body)
            octets = b""
            while piece := connection.recv(65536):
                octets += piece
            return int(octets.split(b" ")[1])

        def through():
            return http.client.HTTPConnection("127.0.0.1", port)

        def tunnel():
            connection = http.client.HTTPSConnection("127.0.0.1", port, context=trusted)
            connection.set_tunnel("localhost", secure)
            return connection

        here = "127.0.0.1:%d" % plain
        found = {"plain": [], "tls": [], "raw": [], "invalid": [], "unreachable": []}
        for _ in range(6):
            found["plain"].append(library(through(), "http://%s/" % here, here))
            found["tls"].append(library(tunnel(), "/", "localhost:%d" % secure))
            found["raw"].append(raw("http://%s/" % here, here))
            found["invalid"].append(raw("http://%s/" % here, "h, h"))
            found["unreachable"].append(raw("http://127.0.0.1:1/", "127.0.0.1:1"))
        print(json.dumps(found))
        """

    @Test func `a client that sends 20 MB before it reads still gets the early response`() throws {
        let certificate = try TestCertificate()
        let proxy = try Daemon(trusting: certificate)
        let outcome = try Tool.run(
            "python3",
            [
                "-c", Self.script, String(proxy.port), proxy.certificatePath,
                certificate.certificatePath, certificate.keyPath,
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let found = try JSONDecoder().decode(Found.self, from: outcome.output)
        #expect(found.plain == Array(repeating: [413, 7], count: 6))
        #expect(found.tls == Array(repeating: [413, 7], count: 6))
        #expect(found.raw == Array(repeating: 413, count: 6))
        #expect(found.invalid == Array(repeating: 400, count: 6))
        #expect(found.unreachable == Array(repeating: 502, count: 6))
    }

    private struct Found: Decodable {
        let plain, tls: [[Int]]
        let raw, invalid, unreachable: [Int]
    }

    /// A server that knows no expectations, as some still do not.
    private static let stubborn = """
        import socket, sys, threading
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)

        def serve(connection):
            octets = b""
            while True:
                while b"\\r\\n\\r\\n" not in octets:
                    piece = connection.recv(65536)
                    if not piece:
                        return
                    octets += piece
                head, octets = octets.split(b"\\r\\n\\r\\n", 1)
                if b"expect:" in head.lower():
                    connection.sendall(
                        b"HTTP/1.1 417 Expectation Failed\\r\\nContent-Length: 0\\r\\n\\r\\n")
                    continue
                length = int(head.lower().split(b"content-length:")[1].split(b"\\r\\n")[0])
                while len(octets) < length:
                    octets += connection.recv(65536)
                octets = octets[length:]
                connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n")

        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """

    @Test func `after a 417 response, curl repeats its upload on the same connection`() throws {
        let python = try #require(Tool.find("python3"))
        let server = try Service(python, ["-c", Self.stubborn])
        let port = try server.readLine()
        let proxy = try Daemon()
        let file = proxy.data.path + "/upload"
        try Data(repeating: 0x61, count: 3 << 20).write(to: URL(fileURLWithPath: file))
        // More than a megabyte: curl asks before it sends, by itself.
        let outcome = try proxy.curl(
            "-T", file, "-w", "%{http_code} %{num_connects}", "http://127.0.0.1:\(port)/up")
        #expect(outcome.text == "200 1", "\(outcome.errors)")
        let rows = try proxy.rows(count: 2)
        #expect(rows.map { $0.int("status") } == [417, 200])
        #expect(rows.last?.int("request_body_bytes") == 3 << 20)
    }
}
