internal import ProxydTLS

/// The certificates that a server presented, and the checks to apply to them.
public struct ServerTrust: Sendable {
    /// The certificates as sent, the server's own first. The others can be arbitrary: only the
    /// chain that verification returns is known to be correct.
    public let certificates: [ServerCertificate]
    private let presented: [[UInt8]]
    private let authorities: AuthorityStore

    init(presented: [[UInt8]], authorities: AuthorityStore) {
        self.presented = presented
        self.authorities = authorities
        certificates = presented.compactMap(ServerCertificate.init(der:))
    }

    /// Verifies the chain against the session's authorities: dates, signatures and purposes.
    /// Returns the verified chain, from the server's own certificate to the trusted one.
    @discardableResult
    public func performDefaultValidation() throws(ServerTrustError) -> [ServerCertificate] {
        try verify(by: try authorities.store())
    }

    /// The same, but trusts only the given certificates, each on its own.
    @discardableResult
    public func performValidation(
        anchors: [ServerCertificate]
    ) throws(ServerTrustError) -> [ServerCertificate] {
        let store: TrustStore
        do throws(TLSError) {
            store = try TrustStore(certificates: anchors.map(\.der))
        } catch {
            throw .authoritiesUnavailable(message: error.message)
        }
        return try verify(by: store)
    }

    /// Checks only that the server's own certificate is valid for a host.
    public func performValidation(forHost host: String) throws(ServerTrustError) {
        let leaf = certificates.first
        guard leaf?.isFor(host: host) != true else { return }
        let names = leaf?.alternativeNames.prefix(5).joined(separator: ", ") ?? ""
        throw .hostValidationFailed(
            CertificateRefusal(
                .wrongHost, leaf,
                message: "certificate is for \(names.isEmpty ? "no host" : names), not \(host)"))
    }

    /// Verifies the chain, and that none of its certificates is on the lists.
    func performRevocationCheck(
        _ lists: RevocationLists, checksIssuers: Bool
    ) throws(ServerTrustError) {
        var rules = TrustStore.Rules(revocationLists: lists)
        rules.checksIssuersForRevocation = checksIssuers
        let store = try authorities.store()
        do throws(VerificationFailure) {
            _ = try store.verify(presented, rules: rules)
        } catch {
            throw .revocationCheckFailed(CertificateRefusal(error))
        }
    }

    private func verify(by store: TrustStore) throws(ServerTrustError) -> [ServerCertificate] {
        do throws(VerificationFailure) {
            let chain = try store.verify(presented, rules: .init())
            return chain.compactMap(ServerCertificate.init(der:))
        } catch {
            throw .defaultEvaluationFailed(CertificateRefusal(error))
        }
    }
}
