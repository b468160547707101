import Testing

@testable import ProxydTLS

@Suite struct ClientOfferTests {
    /// The cipher suites of a hello, in order (RFC 8446 §4.1.2).
    private func suites(of hello: [UInt8]) throws -> [UInt16] {
        var reader = VectorReader(hello.dropFirst(5 + 4 + 2 + 32))
        let sessionID = reader.vector8()
        #expect(sessionID != nil)
        let content = reader.vector16()
        var list = VectorReader(try #require(content))
        var suites: [UInt16] = []
        while let suite = list.uint16() { suites.append(suite) }
        return suites
    }

    @Test func `the TLS client offers no broken cipher suites`() throws {
        let context = try TLSClientContext(trust: .files([]))
        let session = try TLSSession(
            client: context, policy: TLSPolicy(name: "a.example"), port: 443)
        try session.startHandshake()
        let offered = try suites(of: session.takeOutput())
        #expect(offered.starts(with: [0x1302, 0x1303, 0x1301]))
        #expect(offered.contains(0xC02F), "ECDHE-RSA-AES128-GCM-SHA256")
        // RC4, 3DES, no encryption, and CBC with SHA-1 (RFC 2246, RFC 3268, RFC 4492).
        let broken: Set<UInt16> = [
            0x0001, 0x0002, 0x003B, 0x0004, 0x0005, 0x000A, 0x0016, 0x002F, 0x0035, 0x0033,
            0x0039, 0xC007, 0xC008, 0xC009, 0xC00A, 0xC011, 0xC012, 0xC013, 0xC014,
        ]
        #expect(broken.isDisjoint(with: offered))
    }
}
