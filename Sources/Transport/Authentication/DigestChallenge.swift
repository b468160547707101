internal import ProxydHTTPModel
internal import ProxydTLS

/// A Digest challenge (RFC 7616 §3.3).
package struct DigestChallenge: Sendable, Hashable {
    /// What the digest covers; servers older than RFC 2617 (1999) send no `qop`.
    enum Protection: Sendable, Hashable {
        case legacy
        /// The server offers `auth`, `auth-int` or both.
        case offered(auth: Bool, body: Bool)
    }

    let realm: [UInt8]
    /// The server's nonce.
    package let nonce: [UInt8]
    let opaque: [UInt8]?
    let algorithm: DigestAlgorithm
    /// The algorithm as the challenge names it, or nil if it names none, which means MD5.
    let algorithmName: String?
    /// Whether the hash of the password is valid only for one pair of nonces (`-sess`).
    let isPerSession: Bool
    let protection: Protection
    /// Whether only the nonce was rejected, because it was too old.
    package let isStale: Bool
    let hashesUser: Bool
    /// The URIs that the credentials are for; empty means the whole server.
    package let domain: [String]

    /// Returns nil if a required parameter is missing or has an unsupported value.
    package init?(_ challenge: HTTPChallenge) {
        guard challenge.isScheme("digest"), let realm = challenge.value("realm"),
            let nonce = challenge.value("nonce"),
            let protection = DigestChallenge.protection(challenge.text("qop"))
        else { return nil }
        let name = challenge.text("algorithm")
        let lowercase = (name ?? "md5").lowercased()
        isPerSession = lowercase.hasSuffix("-sess")
        switch isPerSession ? String(lowercase.dropLast(5)) : lowercase {
        case "md5": algorithm = .md5
        case "sha-256": algorithm = .sha256
        case "sha-512-256": algorithm = .sha512t256
        default: return nil
        }
        algorithmName = name
        self.realm = realm
        self.nonce = nonce
        self.protection = protection
        opaque = challenge.value("opaque")
        isStale = challenge.text("stale")?.lowercased() == "true"
        hashesUser = challenge.text("userhash")?.lowercased() == "true"
        domain = challenge.text("domain")?.split(separator: " ").map(String.init) ?? []
    }

    private static func protection(_ text: String?) -> Protection? {
        guard let text else { return .legacy }
        let options = text.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        let (auth, body) = (options.contains("auth"), options.contains("auth-int"))
        return auth || body ? .offered(auth: auth, body: body) : nil
    }

    /// Ranks the algorithms; a larger value is stronger.
    package var strength: Int {
        switch algorithm {
        case .md5, .sha1: 0
        case .sha256: 1
        case .sha512t256: 2
        }
    }
}
