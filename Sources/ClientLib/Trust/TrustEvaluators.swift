internal import ProxydTLS
internal import FoundationEssentials

/// Trusts servers whose chain leads to the session's authorities, as sessions without evaluators
/// do.
public struct DefaultTrustEvaluator: ServerTrustEvaluating {
    private let validateHost: Bool

    /// Creates an evaluator. Without `validateHost`, anyone with a valid certificate for any host
    /// can impersonate the server.
    public init(validateHost: Bool = true) { self.validateHost = validateHost }

    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        try trust.performDefaultValidation()
        if validateHost { try trust.performValidation(forHost: host) }
    }
}

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

    public var pinsServers: Bool { true }

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

    public init(
        certificates: [ServerCertificate], performDefaultValidation: Bool = true,
        validateHost: Bool = true
    ) {
        self.init(
            pins: certificates.compactMap(\.publicKeyPin),
            performDefaultValidation: performDefaultValidation, validateHost: validateHost)
    }

    public var pinsServers: Bool { true }

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

/// The identity of a public key: SHA-256 of the key with its algorithm (SubjectPublicKeyInfo, RFC
/// 7469 §2.4), which stays the same when a certificate is renewed for the same key.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    public let sha256: [UInt8]

    /// Creates a pin, or returns nil if the hash is not 32 bytes long.
    public init?(sha256: [UInt8]) {
        guard sha256.count == 32 else { return nil }
        self.sha256 = sha256
    }

    /// Parses 44 characters of base64, optionally after `sha256/` as in OkHttp, or after `sha256//`
    /// as in curl's `--pinnedpubkey`; returns nil for anything else.
    public init?(_ text: String) {
        let prefix = "sha256/"
        var digits = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        // Base64 may start with a slash, so a slash is part of curl's prefix only if the text is
        // too long.
        if digits.count > 44, digits.hasPrefix("/") { digits = digits.dropFirst() }
        guard let data = Data(base64Encoded: String(digits)) else { return nil }
        self.init(sha256: [UInt8](data))
    }

    /// `sha256/` followed by base64.
    public var description: String { "sha256/" + Data(sha256).base64EncodedString() }
}

/// Trusts servers whose certificates are not on revocation lists (RFC 5280 §5).
///
/// The lists are files that the operator keeps up to date: nothing is downloaded, and stapled
/// responses (OCSP, RFC 6066 §8) are ignored. If the issuer of a server's certificate has no
/// current list, the server is not trusted.
public struct RevocationTrustEvaluator: ServerTrustEvaluating {
    private let lists: RevocationLists
    private let validateHost: Bool
    private let checksIssuers: Bool

    /// Reads revocation lists: one as DER in each file, or any number as PEM. With `checksIssuers`,
    /// every issuer in the chain needs a list too.
    /// - Throws: which file cannot be read or contains no list.
    public init(
        listPaths: [String], validateHost: Bool = true, checksIssuers: Bool = false
    ) throws(CertificateFileError) {
        var contents: [[UInt8]] = []
        for path in listPaths {
            let bytes = try CertificateFileError.contents(of: path)
            guard (try? RevocationLists([bytes])) != nil else {
                throw CertificateFileError(path, "no revocation list in it")
            }
            contents.append(bytes)
        }
        do throws(TLSError) {
            lists = try RevocationLists(contents)
        } catch {
            throw CertificateFileError(listPaths.joined(separator: ", "), error.message)
        }
        self.validateHost = validateHost
        self.checksIssuers = checksIssuers
    }

    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        try trust.performDefaultValidation()
        if validateHost { try trust.performValidation(forHost: host) }
        try trust.performRevocationCheck(lists, checksIssuers: checksIssuers)
    }
}

/// Trusts servers that all of several evaluators trust.
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
    private let evaluators: [any ServerTrustEvaluating]

    /// Creates an evaluator. Without any evaluators, it trusts every server.
    public init(evaluators: [any ServerTrustEvaluating]) { self.evaluators = evaluators }

    public var pinsServers: Bool { evaluators.contains(where: \.pinsServers) }

    /// Calls the evaluators in order; the first error refuses the server.
    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        for evaluator in evaluators { try evaluator.evaluate(trust, forHost: host) }
    }
}

public struct CustomTrustEvaluator: ServerTrustEvaluating {
    /// Whether requests to its hosts over plain http are refused.
    public let pinsServers: Bool
    private let body: @Sendable (ServerTrust, String) throws -> Void

    /// Creates an evaluator. The closure gets the trust and the host, and throws if the server is
    /// not to be trusted. It must not block.
    public init(
        pinsServers: Bool = false, _ body: @escaping @Sendable (ServerTrust, String) throws -> Void
    ) {
        self.pinsServers = pinsServers
        self.body = body
    }

    public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
        try body(trust, host)
    }
}

/// Trusts every server without any check. Only for tests against your own servers, never for
/// production.
public struct DisabledTrustEvaluator: ServerTrustEvaluating {
    public init() {}

    public func evaluate(_ trust: ServerTrust, forHost host: String) {}
}
