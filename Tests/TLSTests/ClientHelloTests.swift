import ProxydTestSupport
import Testing

@testable import ProxydTLS

@Suite struct ClientHelloTests {
    private func peek(_ bytes: some Sequence<UInt8>) -> ClientHello.Peek {
        let bytes = [UInt8](bytes)
        return ClientHello.peek(bytes.span)
    }

    /// A hello as OpenSSL makes it.
    private func hello(
        _ policy: TLSPolicy, _ highestVersion: TLSVersion = .tls13
    ) throws -> [UInt8] {
        let context = try TLSClientContext(trust: .files([]), highestVersion: highestVersion)
        let session = try TLSSession(client: context, policy: policy, port: 443)
        try session.startHandshake()
        return session.takeOutput()
    }

    private func parsed(_ bytes: [UInt8]) throws -> ClientHello {
        guard case .hello(let hello) = peek(bytes) else {
            Issue.record("no hello: \(peek(bytes))")
            throw TLSError(kind: .protocolFailure, message: "no hello")
        }
        return hello
    }

    private func differences(_ first: [UInt8], _ second: [UInt8]) -> String {
        zip(first, second).enumerated().filter { $1.0 != $1.1 }
            .map { "[\($0)] \($1.0) → \($1.1)" }.joined(separator: ", ")
    }

    /// The handshake message in a hello of one record, split over records of `byteCount`.
    private func split(_ bytes: [UInt8], _ byteCount: Int) -> [UInt8] {
        var rest = bytes.dropFirst(5)
        var records: [UInt8] = []
        while !rest.isEmpty {
            let piece = rest.prefix(byteCount)
            records += [22, 3, 1, UInt8(piece.count >> 8), UInt8(piece.count & 0xFF)] + piece
            rest = rest.dropFirst(byteCount)
        }
        return records
    }

    @Test func `the server name, ALPN protocols and versions of a TLS 1.3 ClientHello are parsed`()
        throws
    {
        let hello = try parsed(hello(.init(name: "WWW.a.example", alpn: ["h2", "http/1.1"])))
        #expect(hello.serverName == "www.a.example")
        #expect(hello.alpn == ["h2", "http/1.1"])
        #expect(hello.versions == [0x0304, 0x0303])
    }

    @Test func `the version of a TLS 1.2 ClientHello is parsed`() throws {
        let hello = try parsed(hello(.init(name: "a.example"), .tls12))
        #expect(hello.versions == [0x0303])
    }

    @Test func `a ClientHello sent to an IP address has no server name`() throws {
        let hello = try parsed(hello(.init(name: "192.0.2.1", alpn: [])))
        #expect(hello.serverName == nil)
        #expect(hello.alpn == [])
    }

    @Test func `for a ClientHello cut off at any byte, the parser asks for more input`() throws {
        let bytes = try hello(.init(name: "a.example"))
        for count in 0..<bytes.count {
            #expect(peek(bytes[..<count]) == .needMore, "\(count)")
        }
        let expected = try parsed(bytes)
        #expect(try parsed(bytes + [23, 3, 3]) == expected)
    }

    @Test(arguments: [1, 2, 3, 100])
    func `a ClientHello split over several TLS records is parsed like a whole one`(byteCount: Int)
        throws
    {
        let whole = try hello(.init(name: "a.example"))
        let records = split(whole, byteCount)
        #expect(try parsed(records) == parsed(whole))
        for count in 0..<records.count {
            #expect(peek(records[..<count]) == .needMore, "\(count)")
        }
    }

    @Test func `protocols other than TLS are recognized by their first bytes as not being TLS`() {
        let others: [[UInt8]] = [
            Array("GET / HTTP/1.1".utf8), Array("SSH-2.0-x".utf8), [0x80, 0x2E, 1, 3, 1],
            [22, 2], [21, 3, 3, 0, 2, 2, 40], [22, 3, 1, 0x40, 1], [22, 3, 1, 0, 4, 2],
        ]
        for bytes in others {
            #expect(peek(bytes) == .notTLS, "\(bytes)")
        }
    }

    @Test func `a server name in a ClientHello that is not printable ASCII is ignored`() throws {
        var bytes = try hello(.init(name: "a.example"))
        let name = Array("a.example".utf8)
        let start = try #require(
            bytes.indices.first { bytes[$0...].prefix(name.count).elementsEqual(name) })
        for byte in [0x00, 0x0A, 0x20, 0x7F, 0xC3] as [UInt8] {
            bytes[start + 1] = byte
            #expect(try parsed(bytes).serverName == nil)
        }
    }

    @Test func `a randomly changed ClientHello is parsed whenever OpenSSL accepts it`() throws {
        let authority = try TestAuthority()
        let original = try hello(.init(name: "a.example", alpn: ["h2", "http/1.1"]))
        var random = SplitMix(seed: 20_261_121)
        for _ in 0..<3_000 {
            var bytes = original
            for _ in 0..<(1 + Int(random.next() % 3)) {
                let index = Int(random.next() % UInt64(bytes.count))
                bytes[index] = UInt8(truncatingIfNeeded: random.next())
            }
            let server = try TLSSession(
                server: authority.leaves.serverContext(for: "a.example"), alpn: [])
            let isTaken = (try? server.receive(bytes.span) { _ in }) != nil && server.hasOutput
            guard isTaken else { continue }
            guard case .hello = peek(bytes) else {
                Issue.record("\(differences(original, bytes))")
                continue
            }
        }
    }

    @Test func `random bytes after the start of a ClientHello never crash the parser`() {
        var random = SplitMix(seed: 7)
        for _ in 0..<20_000 {
            let count = Int(random.next() % 200)
            var bytes: [UInt8] = [22, 3, 1, 0, UInt8(count), 1, 0, 0, UInt8(max(0, count - 4))]
            bytes += (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() % 5) }
            _ = peek(bytes)
        }
    }
}
