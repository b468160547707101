internal import ProxydHTTPModel
internal import ProxydTLS

/// Selects the evaluator for each host.
public final class ServerTrustManager: Sendable {
    /// Whether hosts without an evaluator are refused. If not, they are evaluated as in a session
    /// without evaluators.
    public let allHostsMustBeEvaluated: Bool
    private let evaluators: HostTable<any ServerTrustEvaluating>
    private let chooser: Chooser?

    /// Returns the evaluator for a host, as in URLs, and a port, or nil if it needs none.
    public typealias Chooser =
        @Sendable (_ host: String, _ port: UInt16) -> (any ServerTrustEvaluating)?

    /// Evaluators by host: a name or address as in URLs, `*.example.org` for every name below
    /// `example.org` (but not itself), or `*` for all. The most specific entry applies.
    public init(
        allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]
    ) {
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.evaluators = HostTable(evaluators)
        chooser = nil
    }

    /// Evaluators by host and port. The closure is called on a network thread and must not block.
    public init(choosing chooser: @escaping Chooser) {
        allHostsMustBeEvaluated = false
        evaluators = HostTable([:])
        self.chooser = chooser
    }

    /// The evaluator for a host at port 443, or nil if it needs none.
    /// - Throws: `.noRequiredEvaluator` if there is none and all hosts must be evaluated.
    public func serverTrustEvaluator(
        forHost host: String
    ) throws(ServerTrustError) -> (any ServerTrustEvaluating)? {
        try match(host, port: 443)?.value
    }

    /// The evaluator and its entry in the table; with a chooser, the entry is `host:port`.
    func match(
        _ host: String, port: UInt16
    ) throws(ServerTrustError) -> (entry: String, value: any ServerTrustEvaluating)? {
        if let chooser { return chooser(host, port).map { ("\(host):\(port)", $0) } }
        if let found = evaluators.match(host) { return found }
        guard !allHostsMustBeEvaluated else { throw .noRequiredEvaluator(host: host) }
        return nil
    }

    /// Refuses plain connections to pinned hosts.
    func checkPlain(_ host: String) throws(ServerTrustError) {
        if evaluators.match(host)?.value.pinsServers == true { throw .notSecure(host: host) }
    }
}

public protocol ServerTrustEvaluating: Sendable {
    /// Returns if the server is trusted and throws if not. Called on a network thread during the
    /// TLS handshake, before any byte of a request is sent: it must not block.
    func evaluate(_ trust: ServerTrust, forHost host: String) throws
    /// Whether the evaluator pins certificates or keys. If so, requests over plain http to its
    /// hosts are refused.
    var pinsServers: Bool { get }
}

extension ServerTrustEvaluating {
    public var pinsServers: Bool { false }
}

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

/// Why the session's own rules do not trust a server.
public enum ServerTrustError: Error, Sendable, CustomStringConvertible {
    /// All hosts must be evaluated, but this one has no evaluator.
    case noRequiredEvaluator(host: String)
    /// Certificates were to be pinned, but none were given.
    case noCertificatesFound
    /// Public keys were to be pinned, but none were given.
    case noPublicKeysFound
    /// The host's evaluator pins certificates or keys, but a plain connection has none.
    case notSecure(host: String)
    case authoritiesUnavailable(message: String)
    case defaultEvaluationFailed(CertificateRefusal)
    case hostValidationFailed(CertificateRefusal)
    /// The certificate is revoked, or its status could not be determined.
    case revocationCheckFailed(CertificateRefusal)
    case certificatePinningFailed(host: String, certificates: [ServerCertificate])
    case publicKeyPinningFailed(host: String, certificates: [ServerCertificate])
    case customEvaluationFailed(any Error)

    /// The certificate that was refused, and why, if the error is about one.
    public var refusal: CertificateRefusal? {
        switch self {
        case .defaultEvaluationFailed(let refusal), .hostValidationFailed(let refusal),
            .revocationCheckFailed(let refusal):
            refusal
        case .noRequiredEvaluator, .noCertificatesFound, .noPublicKeysFound, .notSecure,
            .authoritiesUnavailable, .certificatePinningFailed, .publicKeyPinningFailed,
            .customEvaluationFailed:
            nil
        }
    }

    public var description: String {
        switch self {
        case .noRequiredEvaluator(let host): "there is no evaluator for \(host)"
        case .noCertificatesFound: "no certificates to pin were given"
        case .noPublicKeysFound: "no public keys to pin were given"
        case .notSecure(let host): "\(host) is pinned: it needs an https URL"
        case .authoritiesUnavailable(let message): message
        case .defaultEvaluationFailed(let refusal), .hostValidationFailed(let refusal):
            refusal.description
        case .revocationCheckFailed(let refusal): "revocation: \(refusal)"
        case .certificatePinningFailed(let host, let certificates):
            "no pinned certificate in the chain of \(host): \(Self.names(certificates))"
        case .publicKeyPinningFailed(let host, let certificates):
            "no pinned public key in the chain of \(host): \(Self.names(certificates))"
        case .customEvaluationFailed(let error): "\(error)"
        }
    }

    var fault: ClientError.Fault {
        switch self {
        case .noRequiredEvaluator, .noCertificatesFound, .noPublicKeysFound, .notSecure: .caller
        case .authoritiesUnavailable: .library
        case .defaultEvaluationFailed, .hostValidationFailed, .revocationCheckFailed,
            .certificatePinningFailed, .publicKeyPinningFailed, .customEvaluationFailed:
            .server
        }
    }

    private static func names(_ certificates: [ServerCertificate]) -> String {
        certificates.map(\.subject).joined(separator: "; ")
    }
}

extension ClientError {
    /// The error of a request to a server that is not trusted.
    init(_ error: ServerTrustError) {
        self.init(
            .serverTrustEvaluationFailed, fault: error.fault,
            message: "the server is not trusted: \(error)", underlying: error)
    }
}

/// Values by host. A host gets the value of its own name, or that of the longest `*.` pattern that
/// it is below at any depth, or that of `*`.
struct HostTable<Value: Sendable>: Sendable {
    private let values: [String: Value]

    init(_ values: [String: Value]) {
        // If several keys are spellings of the same host, an arbitrary one is kept.
        self.values = Dictionary(
            values.map { (HostTable.normal($0.key), $0.value) }, uniquingKeysWith: { $1 })
    }

    func match(_ host: String) -> (entry: String, value: Value)? {
        guard !values.isEmpty else { return nil }
        let host = HostTable.normal(host)
        if let value = values[host] { return (host, value) }
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            let entry = "*.\(rest)"
            if let value = values[entry] { return (entry, value) }
        }
        return values["*"].map { ("*", $0) }
    }

    private static func normal(_ host: String) -> String {
        var name = String(decoding: host.utf8.map(ASCII.lowercased), as: UTF8.self)
        if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
        if name.hasSuffix(".") { name.removeLast() }
        return name
    }
}
