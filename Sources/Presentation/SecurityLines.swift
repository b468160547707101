internal import ProxydCivilTime
package import ProxydHTTPModel
package import ProxydParameterCoding

/// The certificates and the tokens of an exchange.
package enum SecurityLines {
    /// Formats them; if there are none of either, the lines say so.
    /// - Parameters:
    ///   - chain: The server's certificate chain, its own certificate first.
    ///   - now: The current time in nanoseconds since 1970.
    package static func lines(
        _ chain: [CertificateFacts], _ tokens: [FoundToken], _ clock: WallTime, now: Int64
    ) -> [StyledText] {
        var lines = [StyledText("certificates of the server", .heading)]
        if chain.isEmpty { lines.append(StyledText("  none were shown", .dim)) }
        for (index, certificate) in chain.enumerated() {
            lines += certificate.lines(index + 1, clock, now: now)
        }
        lines += [StyledText(), StyledText("JSON Web Tokens", .heading)]
        if tokens.isEmpty { lines.append(StyledText("  none were found", .dim)) }
        for token in tokens { lines += token.lines(clock, now: now) + [StyledText()] }
        if lines.last?.runs.isEmpty == true { lines.removeLast() }
        return lines
    }
}

/// A certificate of a server's chain, formatted for users.
package struct CertificateFacts: Sendable, Hashable {
    /// The subject, such as `CN=example.org,O=Example`.
    package let subject: String
    /// The issuer, in the same format.
    package let issuer: String
    /// The subject alternative names: DNS names and IP addresses.
    package let names: [String]
    /// The start of the validity period, in seconds since 1970.
    package let notBefore: Int64
    /// The end of the validity period, in seconds since 1970.
    package let notAfter: Int64
    /// The public key, such as `RSA, 2048 bits`.
    package let key: String
    /// The signature algorithm, such as `sha256WithRSAEncryption`.
    package let signature: String
    package let serial: String
    /// The SHA-256 fingerprint of the certificate, as `AB:CD:…`.
    package let fingerprint: String
    /// Whether the certificate may sign others.
    package let isAuthority: Bool

    package init(
        subject: String, issuer: String, names: [String], notBefore: Int64, notAfter: Int64,
        key: String, signature: String, serial: String, fingerprint: String, isAuthority: Bool
    ) {
        self.subject = subject
        self.issuer = issuer
        self.names = names
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.key = key
        self.signature = signature
        self.serial = serial
        self.fingerprint = fingerprint
        self.isAuthority = isAuthority
    }

    /// - Parameters:
    ///   - number: The position in the chain; the server's own certificate is 1.
    ///   - now: The current time in nanoseconds since 1970.
    package func lines(_ number: Int, _ clock: WallTime, now: Int64) -> [StyledText] {
        var first = StyledText("\(number)  ", .dim)
        first.append(subject, .accent)
        if isAuthority { first.append("  authority", .dim) }
        return [first] + facts(clock, now: now).map { $0.line.indented(by: 3) }
    }

    private func facts(_ clock: WallTime, now: Int64) -> [Fact] {
        let seconds = WallTime.seconds(now)
        var facts = [Fact("issuer", issuer == subject ? "itself" : issuer)]
        if !names.isEmpty { facts.append(Fact("for", names.joined(separator: ", "))) }
        let isEarly = notBefore > seconds
        facts.append(Fact("valid from", clock.moment(seconds: notBefore), isEarly ? .bad : .plain))
        let isLate = notAfter < seconds
        let days = (notAfter &- seconds) / 86_400
        let words = isLate ? "expired" : "\(Quantity.count(days, "day", isGrouped: true)) left"
        facts.append(
            Fact(
                "valid until", "\(clock.moment(seconds: notAfter))  \(words)",
                isLate ? .bad : days < 14 ? .notice : .plain))
        facts.append(Fact("key", key))
        facts.append(Fact("signature", signature))
        facts.append(Fact("serial", serial))
        facts.append(Fact("sha-256", fingerprint))
        return facts
    }
}

/// A JSON Web Token in an exchange, and where it was found.
package struct FoundToken: Sendable, Hashable {
    /// The maximum number of tokens shown per exchange.
    private static let countMax = 16

    /// Where the token was found, such as `request authorization` or `response body`.
    package let place: String
    /// The decoded token; its signature is not verified.
    package let token: JSONWebToken

    /// Finds the tokens of an exchange in the order of its messages, each at its first occurrence.
    /// The bodies have no content codings, and may be cut.
    package static func all(
        in exchange: Exchange, requestBody: [UInt8], responseBody: [UInt8]
    ) -> [FoundToken] {
        var found: [FoundToken] = []
        func look(_ bytes: [UInt8], _ place: String) {
            let tokens = JSONWebToken.all(in: bytes.span, countMax: countMax)
            for token in tokens where !found.contains(where: { $0.token == token }) {
                found.append(FoundToken(place: place, token: token))
            }
        }
        func look(_ fields: HeaderFields?, _ side: String) {
            for field in fields?.pairs ?? [] {
                look(Array(field.value.utf8), "\(side) \(field.name.lowercased())")
            }
        }
        look(Array(exchange.request.url?.query ?? []), "request query")
        look(exchange.request.head?.fields, "request")
        look(requestBody, "request body")
        look(exchange.response?.head.fields, "response")
        look(responseBody, "response body")
        return Array(found.prefix(countMax))
    }

    /// Formats where the token was found, its claims, and whether it is still valid.
    /// - Parameter now: The current time in nanoseconds since 1970.
    package func lines(_ clock: WallTime, now: Int64) -> [StyledText] {
        var first = StyledText(place, .accent)
        first.append("  not verified", .dim)
        var lines = [first] + FoundToken.json(token.header)
        lines += token.claims.map(FoundToken.json) ?? []
        if token.isEncrypted {
            lines.append(Fact("claims", "encrypted: only the receiver can read it").line)
        }
        if token.claims == nil, !token.isEncrypted {
            lines.append(Fact("claims", "not a readable JSON object", .notice).line)
        }
        if token.algorithm.lowercased() == "none" {
            lines.append(Fact("signature", "none: anyone could have made it", .warning).line)
        }
        return lines + times(clock, now: now).map(\.line)
    }

    private static func json(_ value: JSONValue) -> [StyledText] {
        BodyExcerpt(value).lines.map { $0.indented(by: 2) }
    }

    private func times(_ clock: WallTime, now: Int64) -> [Fact] {
        let names = [("issued", "iat"), ("good from", "nbf"), ("good until", "exp")]
        let now = WallTime.seconds(now)
        return names.compactMap { name, claim in
            token.time(claim).map { time in
                let isBad = claim == "exp" ? time <= now : time > now
                let words = FoundToken.distance(time, now)
                return Fact(name, "\(clock.moment(seconds: time))  \(words)", isBad ? .bad : .plain)
            }
        }
    }

    /// The time until or since, such as `2 h 3 m ago`, `in 4 m 0 s` or `in 90 days`; of seconds.
    private static func distance(_ time: Int64, _ now: Int64) -> String {
        let distance = time &- now
        let days = distance.magnitude / 86_400
        let words =
            days < 2
            ? Quantity.duration(Nanoseconds.clamping(seconds: Int64(clamping: distance.magnitude)))
            : Quantity.count(days, "day", isGrouped: true)
        return distance > 0 ? "in \(words)" : "\(words) ago"
    }
}
