import ProxydEventLoops
import Foundation
import ProxydTLS

@testable import ProxydTransport

/// An authority of its own, servers it certifies, and clients that trust it or do not.
final class TLSFixture: Sendable {
    let leaves: LeafCertificateCache
    let trusting: TLSClientContext
    let distrusting: TLSClientContext
    private let directory: String

    init() throws {
        directory = FileManager.default.temporaryDirectory.path + "/transport-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let authority = try CertificateAuthority.loadOrCreate(in: directory)
        leaves = try LeafCertificateCache(authority: authority)
        trusting = try TLSClientContext(
            trust: .files([CertificateAuthority.certificatePath(in: directory)]))
        distrusting = try TLSClientContext(trust: .files([]))
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Both ends of a TLS connection for `example.test` over loopback, after both handshakes.
    func securePair(
        on loop: EventLoop, _ body: @escaping (_ client: TLSStream, _ server: TLSStream) -> Void
    ) throws {
        let context = try leaves.serverContext(for: "example.test")
        try connectPair(on: loop) { [trusting] client, server in
            var (left, right): (TLSStream?, TLSStream?)
            var doneCount = 0
            func done<Facts>(_ outcome: Result<Facts, TLSError>) {
                doneCount += 1
                if doneCount == 2, let left, let right { body(left, right) }
            }
            left = TLSStream(
                client: trusting, policy: TLSPolicy(name: "example.test"), port: 443, over: client
            ) { done($0) }
            right = TLSStream(
                server: context, over: server, handshakeTimeoutNs: 60_000_000_000
            ) { done($0) }
            left?.start()
            right?.start()
        }
    }
}
