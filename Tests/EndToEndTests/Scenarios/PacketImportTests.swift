import Foundation
import ProxydConfinement
import ProxydTestSupport
import Testing

/// `proxyctl import` of packet captures, through a real tshark.
struct PacketImportTests {
    private static let hasTshark = Tool.find("tshark") != nil
    private static let isConfined = (try? Landlock.version()) != nil

    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// A capture of a connection from port 40,000.
    /// - Parameter lost: Which of the pieces it lacks.
    private func capture(
        _ pieces: [(isSent: Bool, bytes: [UInt8])], serverPort: Int = 80, lost: Set<Int> = []
    ) -> [UInt8] {
        func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
            (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        // The heading of a pcap file whose packets start with IP (LINKTYPE_RAW).
        var file =
            number(0xA1B2_C3D4, 4) + number(2, 2) + number(4, 2) + number(0, 8)
            + number(65_535, 4) + number(101, 4)
        var time = 1_700_000_000
        func add(_ isSent: Bool, _ sequence: Int, _ other: Int, _ flags: UInt8, _ data: [UInt8]) {
            let ports =
                isSent
                ? number(40_000, 2) + number(serverPort, 2)
                : number(serverPort, 2) + number(40_000, 2)
            let tcp =
                ports + number(sequence, 4) + number(other, 4) + [0x50, flags] + number(65_535, 2)
                + number(0, 4)
            let addresses: [UInt8] =
                isSent ? [192, 0, 2, 1, 192, 0, 2, 2] : [192, 0, 2, 2, 192, 0, 2, 1]
            let count = 20 + tcp.count + data.count
            let address: [UInt8] =
                [0x45, 0] + number(count, 2) + number(0, 4) + [64, 6, 0, 0] + addresses
            file += number(time, 4) + number(0, 4) + number(count, 4) + number(count, 4)
            file += address + tcp + data
            time += 1
        }
        var (sent, received) = (1_000, 5_000)
        add(true, sent, 0, 0x02, [])
        add(false, received, sent + 1, 0x12, [])
        (sent, received) = (sent + 1, received + 1)
        add(true, sent, received, 0x10, [])
        for (index, piece) in pieces.enumerated() {
            let sequences = piece.isSent ? (sent, received) : (received, sent)
            if !lost.contains(index) {
                add(piece.isSent, sequences.0, sequences.1, 0x18, piece.bytes)
            }
            if piece.isSent {
                sent += piece.bytes.count
            } else {
                received += piece.bytes.count
            }
        }
        return file
    }

    private func run(_ arguments: [String]) throws -> (code: Int32, output: String, errors: String)
    {
        let outcome = try Tool.run(Tool.built("proxyctl"), arguments)
        return (outcome.status, outcome.text, outcome.errors)
    }

    private static let exchanges: [(isSent: Bool, text: String)] = [
        (true, "GET /one HTTP/1.1\r\nHost: a.test\r\n\r\n"),
        (false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"),
        (true, "POST /two HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\ntwo"),
        (false, "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nno"), (false, "ne"),
    ]

    @Test(.enabled(if: hasTshark, "tshark is not installed"), .timeLimit(.minutes(2)))
    func `the packet capture importer reads HTTP with tshark and reports a truncated file`() throws
    {
        let file = scratch.path + "/a.pcap"
        let bytes = capture(
            PacketImportTests.exchanges.map { ($0.isSent, Array($0.text.utf8)) })
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let data = ["--data-dir", scratch.path + "/data"]
        let whole = try run(data + ["import", file])
        #expect(whole.output == "imported 2 exchanges, 1 to 2\n")
        #expect(whole.code == 0 && whole.errors.isEmpty)
        let listed = try run(data + ["list", "--columns", "method,status,url"])
        #expect(
            listed.output == "GET\t200\thttp://a.test/one\nPOST\t404\thttp://a.test/two\n")
        let body = try run(data + ["show", "1", "--body"])
        #expect(body.output == "one")
        // Cut off within the last packet.
        try Data(bytes.dropLast(10)).write(to: URL(fileURLWithPath: file))
        let cut = try run(["--data-dir", scratch.path + "/other", "import", file])
        #expect(cut.output == "imported 1 exchange, 1; refused 1\n")
        #expect(cut.code == 1)
        #expect(cut.errors.contains("cut short"))
    }

    /// A request over TLS between two sides in one program, which prints what passes between them.
    private static let conversation = """
        import ssl, sys
        certificate, key, keys, version = sys.argv[1:]
        client_context = ssl.create_default_context(cafile=certificate)
        client_context.keylog_filename = keys
        server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server_context.load_cert_chain(certificate, key)
        server_context.maximum_version = getattr(ssl.TLSVersion, version)
        sent, received = ssl.MemoryBIO(), ssl.MemoryBIO()
        passed = [(ssl.MemoryBIO(), sent, '>'), (ssl.MemoryBIO(), received, '<')]
        client = client_context.wrap_bio(received, passed[0][0], server_hostname='a.test')
        server = server_context.wrap_bio(sent, passed[1][0], server_side=True)
        def attempt(step):
            try:
                return step()
            except ssl.SSLWantReadError:
                return None
            finally:
                for source, target, sign in passed:
                    data = source.read()
                    if data:
                        print(sign, data.hex())
                        target.write(data)
        for _ in range(4):
            attempt(client.do_handshake)
            attempt(server.do_handshake)
        attempt(lambda: client.write(b'GET /private HTTP/1.1\\r\\nHost: a.test\\r\\n\\r\\n'))
        attempt(lambda: server.read(1000))
        attempt(lambda: server.write(b'HTTP/1.1 200 OK\\r\\nContent-Length: 6\\r\\n\\r\\nsecret'))
        attempt(lambda: client.read(1000))
        """

    private func encrypted(
        _ version: String, in tunnel: [(isSent: Bool, text: String)] = []
    ) throws -> [UInt8] {
        try OpenSSLTool.run(
            "req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=a.test "
                + "-addext subjectAltName=DNS:a.test -keyout key.pem -out certificate.pem",
            in: scratch.path)
        let script = try scratch.write("conversation.py", PacketImportTests.conversation)
        let files = ["certificate.pem", "key.pem", "keys"].map { scratch.path + "/" + $0 }
        let outcome = try Tool.run("python3", [script] + files + [version])
        try #require(outcome.status == 0, "\(outcome.errors)")
        let pieces = outcome.text.split(separator: "\n").map { line in
            (line.hasPrefix(">"), line.dropFirst(2).bytesOfHex)
        }
        let opening = tunnel.map { ($0.isSent, Array($0.text.utf8)) }
        return capture(opening + pieces, serverPort: tunnel.isEmpty ? 443 : 3_128)
    }

    @Test(
        .enabled(if: hasTshark, "tshark is not installed"), .timeLimit(.minutes(2)),
        arguments: ["TLSv1_2", "TLSv1_3"])
    func `the packet capture importer decrypts TLS only if it is given the session keys`(
        version: String
    )
        throws
    {
        let file = scratch.path + "/a.pcap"
        try Data(encrypted(version)).write(to: URL(fileURLWithPath: file))
        let data = ["--data-dir", scratch.path + "/data"]
        let keys = ["--tls-keys", scratch.path + "/keys"]
        let decrypted = try run(data + ["import", file] + keys)
        #expect(decrypted.output == "imported 1 exchange, 1\n", "\(decrypted.errors)")
        let listed = try run(data + ["list", "--columns", "status,url"])
        #expect(listed.output == "200\thttps://a.test/private\n")
        #expect(try run(data + ["show", "1", "--body"]).output == "secret")
        let other = try run(["--data-dir", scratch.path + "/other", "import", file])
        #expect(other.output == "imported 0 exchanges; left out 1 encrypted connection\n")
        #expect(other.code == 1)
    }

    @Test(.enabled(if: hasTshark, "tshark is not installed"), .timeLimit(.minutes(2)))
    func `the packet capture importer decrypts TLS in a CONNECT tunnel if given the session keys`()
        throws
    {
        let file = scratch.path + "/a.pcap"
        let tunnel = [
            (true, "CONNECT a.test:8443 HTTP/1.1\r\nHost: a.test:8443\r\n\r\n"),
            (false, "HTTP/1.1 200 OK\r\n\r\n"),
        ]
        try Data(encrypted("TLSv1_3", in: tunnel)).write(to: URL(fileURLWithPath: file))
        let data = ["--data-dir", scratch.path + "/data"]
        let decrypted = try run(
            data + ["import", file, "--tls-keys", scratch.path + "/keys"])
        #expect(decrypted.output == "imported 2 exchanges, 1 to 2\n", "\(decrypted.errors)")
        let listed = try run(data + ["list", "--columns", "state,url"])
        #expect(
            listed.output == "tunnel\ttunnel://a.test:8443\n"
                + "complete\thttps://a.test:8443/private\n")
        let other = try run(["--data-dir", scratch.path + "/other", "import", file])
        #expect(
            other.output == "imported 1 exchange, 1; left out 1 encrypted connection\n")
        #expect(other.code == 0)
    }

    @Test(.enabled(if: hasTshark, "tshark is not installed"), .timeLimit(.minutes(2)))
    func `in a packet capture import, a lost packet affects only its own exchange`() throws {
        let pieces = (0..<30).flatMap { number -> [(isSent: Bool, bytes: [UInt8])] in
            let request = "GET /\(number) HTTP/1.1\r\nHost: a.test\r\n\r\n"
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"
            return [
                (true, Array(request.utf8)), (false, Array((head + "ab").utf8)),
                (false, Array("cdef".utf8)), (false, Array("gh".utf8)),
            ]
        }
        let file = scratch.path + "/a.pcap"
        // The head of the fourth response, and the middle of the seventh.
        let bytes = capture(pieces, lost: [13, 26])
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let data = ["--data-dir", scratch.path + "/data"]
        let result = try run(data + ["import", file])
        #expect(result.output == "imported 30 exchanges, 1 to 30; left out 2 gaps\n")
        #expect(result.code == 0, "\(result.errors)")
        let listed = try run(data + ["list", "--columns", "status,path"])
        let lines = (0..<30).map { "\($0 == 3 ? "" : "200")\t/\($0)\n" }
        #expect(listed.output == lines.joined())
        #expect(try run(data + ["show", "7", "--body"]).output == "abgh")
        #expect(try run(data + ["list", "tag:missing-bytes", "--columns", "id"]).output == "7\n")
    }

    @Test(.enabled(if: hasTshark, "tshark is not installed"), .timeLimit(.minutes(2)))
    func `the packet capture importer reports a file that is not a capture`() throws {
        let file = try scratch.write("a.pcapng", "\n\r\r\nno capture at all")
        let result = try run(["--data-dir", scratch.path + "/data", "import", file])
        #expect(result.code == 1)
        #expect(result.errors.contains("a capture file in a format"))
    }

    @Test(.enabled(if: isConfined, "this kernel has no Landlock"))
    func `packet imports run tshark in a sandbox that denies access to unrelated files`() throws {
        let other = try scratch.write("other", "private")
        let own = scratch.path + "/own"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try Data("keys".utf8).write(to: URL(fileURLWithPath: own + "/keys"))
        let confine = [
            "--confine", "directory=\(own)", "scratch=\(own)", "hidden=/nonexistent", "--",
        ]
        #expect(try run(confine + ["cat", own + "/keys"]).output == "keys")
        let refused = try run(confine + ["cat", other])
        #expect(refused.code != 0 && refused.output.isEmpty)
    }
}

extension StringProtocol {
    /// The bytes that pairs of hexadecimal digits spell.
    fileprivate var bytesOfHex: [UInt8] {
        let digits = compactMap { $0.hexDigitValue.map(UInt8.init) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
