import ProxydTestSupport
@testable import ProxydTLS

/// An authority in a directory of its own, with the leaves it signs and a client that trusts it.
final class TestAuthority {
    let directory: ScratchFolder
    let authority: CertificateAuthority
    let leaves: LeafCertificateCache
    let trusting: TLSClientContext

    init(highestVersion: TLSVersion = .tls13) throws {
        directory = try ScratchFolder()
        authority = try CertificateAuthority.loadOrCreate(in: directory.path)
        leaves = try LeafCertificateCache(authority: authority)
        let path = CertificateAuthority.certificatePath(in: directory.path)
        trusting = try TLSClientContext(
            trust: .files([path]), highestVersion: highestVersion)
    }

    /// A duet whose server shows `shown` to a client that wants `wanted`.
    func duet(
        _ shown: String, wanted: TLSPolicy? = nil, trust: TLSClientContext? = nil,
        serverALPN: [String] = ["http/1.1"], port: UInt16 = 443
    ) throws -> Duet {
        Duet(
            client: try TLSSession(
                client: trust ?? trusting, policy: wanted ?? TLSPolicy(name: shown), port: port),
            server: try TLSSession(
                server: try leaves.serverContext(for: shown), alpn: serverALPN))
    }
}
