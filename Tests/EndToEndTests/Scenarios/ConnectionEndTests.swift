import Foundation
import Testing

/// How connections end, on real sockets.
struct ConnectionEndTests {
    @Test
    func `a client that sends its whole upload can still read the proxy's early 400 response`()
        throws
    {
        let proxy = try Daemon()
        let client = try RawClient(port: proxy.port)
        let byteCount = 10 << 20
        client.send("POST http://h/ HTTP/1.1\r\nHost: h, h\r\nContent-Length: \(byteCount)\r\n\r\n")
        // More than any socket buffer takes: a close that does not linger would reset the
        // connection, and the answer with it.
        client.send([UInt8](repeating: 0x61, count: byteCount))
        client.endSending()
        let answer = try #require(client.readToEnd())
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    }

    /// A server that says whether the client's side of TLS ended with close_notify, and a client
    /// that says so of the server's; the proxy is between them.
    private static let script = """
        import socket, ssl, sys, threading
        proxy, authority, certificate, key = int(sys.argv[1]), *sys.argv[2:5]
        listener = socket.create_server(("127.0.0.1", 0))
        server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.load_cert_chain(certificate, key)

        def read(connection):
            octets = b""
            while piece := connection.recv(65536):  # raises where close_notify is missing
                octets += piece
            return octets

        def serve():
            connection = server.wrap_socket(
                listener.accept()[0], server_side=True, suppress_ragged_eofs=False)
            octets = b""
            while b"\\r\\n\\r\\n" not in octets:
                octets += connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\\r\\nConnection: close\\r\\n"
                               b"Content-Length: 2\\r\\n\\r\\nok")
            read(connection)
            print("server: clean")

        thread = threading.Thread(target=serve)
        thread.start()
        port = listener.getsockname()[1]
        plain = socket.create_connection(("127.0.0.1", proxy))
        plain.sendall(b"CONNECT localhost:%d HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" % port)
        head = b""
        while b"\\r\\n\\r\\n" not in head:
            head += plain.recv(1)
        client = ssl.create_default_context(cafile=authority)
        connection = client.wrap_socket(
            plain, server_hostname="localhost", suppress_ragged_eofs=False)
        connection.sendall(
            b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
        assert read(connection).endswith(b"ok")
        thread.join()
        print("client: clean")
        """

    @Test func `TLS connections end with close_notify on both sides`() throws {
        let certificate = try TestCertificate()
        let proxy = try Daemon(trusting: certificate)
        let outcome = try Tool.run(
            "python3",
            [
                "-c", Self.script, String(proxy.port), proxy.certificatePath,
                certificate.certificatePath, certificate.keyPath,
            ])
        #expect(outcome.text == "server: clean\nclient: clean\n", "\(outcome.errors)")
    }
}
