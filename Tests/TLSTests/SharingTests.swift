import Testing

@testable import ProxydTLS

/// What sessions share: contexts between threads, buffers within one.
@Suite struct SharingTests {
    @Test(arguments: TLSVersion.allCases)
    func `several threads can use the same TLS contexts at the same time`(
        version: TLSVersion
    ) async throws {
        let authority = try TestAuthority(highestVersion: version)
        let (trusting, leaves) = (authority.trusting, authority.leaves)
        let established = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<15).filter { number in
                        Self.shakesHands(trusting, leaves, "\(number % 3).example")
                    }.count
                }
            }
            return await group.reduce(0, +)
        }
        #expect(established == 8 * 15)
    }

    private static func shakesHands(
        _ trusting: TLSClientContext, _ leaves: LeafCertificateCache, _ name: String
    ) -> Bool {
        guard let context = try? leaves.serverContext(for: name),
            let client = try? TLSSession(
                client: trusting, policy: TLSPolicy(name: name), port: 443),
            let server = try? TLSSession(server: context, alpn: ["http/1.1"])
        else { return false }
        let duet = Duet(client: client, server: server)
        duet.shakeHands()
        return duet.isEstablished
    }

    @Test func `a TLS session can receive data within the plaintext callback of another session`()
        throws
    {
        let authority = try TestAuthority()
        let outer = try authority.duet("outer.example")
        let inner = try authority.duet("inner.example")
        outer.shakeHands()
        inner.shakeHands()
        let secret = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }
        try inner.client.write(secret.span)
        try outer.client.write(inner.client.takeOutput().span)
        var seen: [UInt8] = []
        try outer.server.receive(outer.client.takeOutput().span) { ciphertext in
            do {
                try inner.server.receive(ciphertext) { seen.append(contentsOf: $0) }
            } catch {
                Issue.record(error)
            }
        }
        #expect(seen == secret)
    }

    @Test func `a TLS session can be written to from within its plaintext and output callbacks`()
        throws
    {
        let duet = try TestAuthority().duet("a.example")
        duet.shakeHands()
        try duet.client.write(Array("ping".utf8).span)
        var sent: [UInt8] = []
        duet.client.withOutput { output in
            sent.append(contentsOf: output)
            #expect(!duet.client.hasOutput)
            try? duet.client.write(Array("pong".utf8).span)
        }
        #expect(duet.client.hasOutput)
        try duet.server.receive(sent.span) { _ in try? duet.server.write([1].span) }
        #expect(duet.server.hasOutput)
        duet.shuttle()
        #expect(duet.serverPlaintext == Array("pong".utf8))
        #expect(duet.clientPlaintext == [1])
    }

    @Test func `output that a TLS session has handed out is not handed out again`() throws {
        let duet = try TestAuthority().duet("a.example")
        try duet.client.startHandshake()
        var count = 0
        duet.client.withOutput { count += $0.count }
        duet.client.withOutput { _ in Issue.record("nothing is left") }
        #expect(count > 100)
        #expect(duet.client.takeOutput() == [])
    }
}
