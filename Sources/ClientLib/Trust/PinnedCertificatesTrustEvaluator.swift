/// Trusts servers with one of certain certificates in their chain.
public struct PinnedCertificatesTrustEvaluator: ServerTrustEvaluating {
    private let certificates: [ServerCertificate]
    private let acceptSelfSignedCertificates: Bool
    private let performDefaultValidation: Bool
    private let validateHost: Bool

    /// An evaluator. Pins may be servers' own certificates or those of issuers.
    ///
    /// With `acceptSelfSignedCertificates` nothing is trusted but the pins, whoever signed them;
    /// else the chain must also be good to the session's authorities. Without
    /// `performDefaultValidation` dates and signatures are not looked at: then only the server's
    /// own certificate counts, as the others it sends prove nothing.
    public init(
        certificates: [ServerCertificate], acceptSelfSignedCertificates: Bool = false,
        performDefaultValidation: Bool = true, validateHost: Bool = true
    ) {
        self.certificates = certificates
        self.acceptSelfSignedCertificates = acceptSelfSignedCertificates
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
    }

    /// It does.
    public var pinsServers: Bool { true }

    /// Verifies the chain and the host, and looks for a pin.
    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        guard !certificates.isEmpty else { throw ServerTrustError.noCertificatesFound }
        let chain = try proven(trust)
        if validateHost { try trust.performValidation(forHost: host) }
        guard chain.contains(where: certificates.contains) else {
            throw ServerTrustError.certificatePinningFailed(host: host, certificates: chain)
        }
    }

    private func proven(_ trust: ServerTrust) throws -> [ServerCertificate] {
        guard performDefaultValidation else { return Array(trust.certificates.prefix(1)) }
        return acceptSelfSignedCertificates
            ? try trust.performValidation(anchors: certificates)
            : try trust.performDefaultValidation()
    }
}
