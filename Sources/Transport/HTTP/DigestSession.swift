package import ProxydHTTPModel
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

/// Answers one Digest challenge. The nonce is reused for many requests, with a counter (RFC 7616
/// §3.4).
package struct DigestSession: Sendable {
    package let challenge: DigestChallenge
    private let user: [UInt8]
    private let password: [UInt8]
    private let clientNonce: [UInt8]
    /// The server's nonce, from the challenge or a later response (RFC 7616 §3.5).
    private var nonce: [UInt8]
    /// The number of requests that have used the nonce.
    private var count: UInt32 = 0

    package init(
        _ challenge: DigestChallenge, user: String, password: String, clientNonce: String
    ) {
        self.challenge = challenge
        self.user = Array(user.utf8)
        self.password = Array(password.utf8)
        self.clientNonce = Array(clientNonce.utf8)
        nonce = challenge.nonce
    }

    package mutating func use(nonce: [UInt8]) {
        self.nonce = nonce
        count = 0
    }

    /// The value of the credentials field for a request, or nil if there can be none: the hash
    /// algorithm is not available, or the body must be protected and is not in memory.
    package mutating func authorization(
        method: HTTPMethod, target: [UInt8], body: [UInt8]?
    ) -> [UInt8]? {
        guard let qop = qop(hasBody: body != nil), let secret = secret() else { return nil }
        var action = Array(method.rawValue.utf8) + colon + target
        if qop == "auth-int" {
            guard let bodyDigest = hash(body ?? []) else { return nil }
            action += colon + bodyDigest
        }
        count &+= 1
        let hexadecimal = String(count, radix: 16)
        let nc = String(repeating: "0", count: 8 - hexadecimal.utf8.count) + hexadecimal
        let middle =
            qop.isEmpty ? nonce : nonce + colon + nc.utf8 + colon + clientNonce + colon + qop.utf8
        guard let actionDigest = hash(action),
            let response = hash(secret + colon + middle + colon + actionDigest),
            let userParameter = userParameter()
        else { return nil }
        var value = Array("Digest ".utf8) + userParameter
        value += ", realm=".utf8 + quoted(challenge.realm)
        value += ", nonce=".utf8 + quoted(nonce) + ", uri=".utf8 + quoted(target)
        if let name = challenge.algorithmName { value += ", algorithm=\(name)".utf8 }
        if !qop.isEmpty { value += ", qop=\(qop), nc=\(nc)".utf8 }
        if !qop.isEmpty || challenge.isPerSession {
            value += ", cnonce=".utf8 + quoted(clientNonce)
        }
        value += ", response=".utf8 + quoted(response)
        if let opaque = challenge.opaque { value += ", opaque=".utf8 + quoted(opaque) }
        if challenge.hashesUser { value += ", userhash=true".utf8 }
        return value
    }

    /// 128 random bits as hexadecimal digits, for a client nonce.
    package static func randomNonce() -> String {
        String(UInt128.random(in: 0 ... .max), radix: 16)
    }

    /// Prefers `auth` to `auth-int`, which needs a second pass over the body and which
    /// intermediaries break. Empty if no quality of protection is sent.
    private func qop(hasBody: Bool) -> String? {
        switch challenge.protection {
        case .legacy: ""
        case .offered(auth: true, body: _): "auth"
        case .offered(auth: false, body: _): hasBody ? "auth-int" : nil
        }
    }

    /// H(A1) (RFC 7616 §3.4.2). A session's secret is derived from the nonce that the session
    /// started with.
    private func secret() -> [UInt8]? {
        let plain = hash(user + colon + challenge.realm + colon + password)
        guard challenge.isPerSession, let plain else { return plain }
        return hash(plain + colon + challenge.nonce + colon + clientNonce)
    }

    /// The user name parameter: hashed if the server asks for that, encoded by RFC 8187 if it is
    /// not ASCII.
    private func userParameter() -> [UInt8]? {
        if challenge.hashesUser {
            return hash(user + colon + challenge.realm).map { "username=".utf8 + quoted($0) }
        }
        guard user.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            return Array("username*=UTF-8''".utf8)
                + PercentEncoding.encoded(user, isPlain: isAttributeCharacter)
        }
        return "username=".utf8 + quoted(user)
    }

    /// The hash as lower-case hexadecimal digits.
    private func hash(_ bytes: [UInt8]) -> [UInt8]? {
        let digits = Array("0123456789abcdef".utf8)
        return challenge.algorithm.digest(of: bytes)?.flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
    }
}

private let colon = [UInt8(ascii: ":")]

/// A quoted string (RFC 9110 §5.6.4).
private func quoted(_ bytes: [UInt8]) -> [UInt8] {
    var text = [UInt8(ascii: "\"")]
    for byte in bytes {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            text.append(UInt8(ascii: "\\"))
        }
        text.append(byte)
    }
    text.append(UInt8(ascii: "\""))
    return text
}

/// Whether a byte is an `attr-char` (RFC 8187 §3.2.1).
private func isAttributeCharacter(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || "!#$&+-.^_`|~".utf8.contains(byte)
}
