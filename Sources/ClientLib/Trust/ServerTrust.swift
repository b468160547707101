internal import ProxydTLS

/// What a server showed to prove who it is, and the means to judge it.
public struct ServerTrust: Sendable {
    /// The certificates as sent, the server's own first. What follows it can be anything: only
    /// what verification gives back is known to belong to it.
    public let certificates: [ServerCertificate]
    private let presented: [[UInt8]]
    private let authorities: AuthorityStore

    init(presented: [[UInt8]], authorities: AuthorityStore) {
        self.presented = presented
        self.authorities = authorities
        certificates = presented.compactMap(ServerCertificate.init(der:))
    }

    /// Verifies the chain against the authorities that the session trusts: dates, signatures,
    /// purposes. Gives the chain that was found, from the server's own certificate to the trusted
    /// one.
    @discardableResult
    public func performDefaultValidation() throws(ServerTrustError) -> [ServerCertificate] {
        try verify(by: try authorities.store())
    }

    /// The same, with nothing trusted but these certificates, each for itself.
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

    /// Checks that the server's own certificate is for a host, and nothing else.
    public func performValidation(forHost host: String) throws(ServerTrustError) {
        let leaf = certificates.first
        guard leaf?.isFor(host: host) != true else { return }
        let names = leaf?.alternativeNames.prefix(5).joined(separator: ", ") ?? ""
        throw .hostValidationFailed(
            CertificateRefusal(
                .wrongHost, leaf,
                message: "certificate is for \(names.isEmpty ? "no host" : names), not \(host)"))
    }

    /// Verifies the chain, and that no certificate of it is on the lists.
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
