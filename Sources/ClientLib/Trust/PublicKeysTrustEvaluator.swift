/// Trusts servers whose chain contains one of the pinned public keys.
public struct PublicKeysTrustEvaluator: ServerTrustEvaluating {
    private let pins: [PublicKeyPin]
    private let performDefaultValidation: Bool
    private let validateHost: Bool

    /// Creates an evaluator. Keys may be those of servers or of issuers. Without
    /// `performDefaultValidation`, dates and signatures are not checked; then only the server's own
    /// key is compared, because the other certificates it sends prove nothing.
    public init(
        pins: [PublicKeyPin], performDefaultValidation: Bool = true, validateHost: Bool = true
    ) {
        self.pins = pins
        self.performDefaultValidation = performDefaultValidation
        self.validateHost = validateHost
    }

    /// Creates an evaluator for the keys of certificates.
    public init(
        certificates: [ServerCertificate], performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) {
        self.init(
            pins: certificates.compactMap(\.publicKeyPin),
            performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }

    /// Always true.
    public var pinsServers: Bool { true }

    /// Verifies the chain and the host, and looks for a pinned key.
    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        guard !pins.isEmpty else { throw ServerTrustError.noPublicKeysFound }
        let chain =
            performDefaultValidation
            ? try trust.performDefaultValidation() : Array(trust.certificates.prefix(1))
        if validateHost { try trust.performValidation(forHost: host) }
        guard chain.contains(where: { $0.publicKeyPin.map(pins.contains) ?? false }) else {
            throw ServerTrustError.publicKeyPinningFailed(host: host, certificates: chain)
        }
    }
}
