/// Trusts servers whose chain contains one of the pinned certificates.
public struct PinnedCertificatesTrustEvaluator: ServerTrustEvaluating {
    private let certificates: [ServerCertificate]
    private let acceptSelfSignedCertificates: Bool
    private let performDefaultValidation: Bool
    private let validateHost: Bool

    /// Creates an evaluator. Pins may be server certificates or issuer certificates.
    ///
    /// With `acceptSelfSignedCertificates`, only the pins are trusted, no matter who signed them;
    /// otherwise the chain must also be valid for the session's authorities. Without
    /// `performDefaultValidation`, dates and signatures are not checked; then only the server's own
    /// certificate is compared, because the others it sends prove nothing.
    public init(
        certificates: [ServerCertificate], acceptSelfSignedCertificates: Bool = false,
        performDefaultValidation: Bool = true, validateHost: Bool = true
    ) {
        self.certificates = certificates
        self.acceptSelfSignedCertificates = acceptSelfSignedCertificates
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
    }

    /// Always true.
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
