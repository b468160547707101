package import ProxydHTTPModel
package import ProxydParameterCoding

/// A JSON Web Token in an exchange, and where it is.
package struct FoundToken: Sendable, Hashable {
    /// The most tokens of an exchange that are shown.
    private static let countMax = 16

    /// `request authorization`, `response body`.
    package let place: String
    /// What it says, not verified.
    package let token: JSONWebToken

    /// The tokens of an exchange in the order of its messages, each where it is first.
    /// - Parameters:
    ///   - requestBody: The beginning of the request's body, content codings undone.
    ///   - responseBody: That of the response's.
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

    /// Where it is, what it says, and whether it is still good.
    /// - Parameter now: Nanoseconds since 1970.
    package func lines(_ clock: WallTime, now: Int64) -> [StyledText] {
        var first = StyledText(place, .accent)
        first.append("  not verified", .dim)
        var lines = [first] + FoundToken.json(token.header)
        lines += token.claims.map(FoundToken.json) ?? []
        if token.isEncrypted {
            lines.append(Fact("claims", "encrypted: only its receiver can read them").line)
        }
        if token.algorithm.lowercased() == "none" {
            lines.append(Fact("signature", "none: anyone can have made it", .warning).line)
        }
        return lines + times(clock, now: now).map(\.line)
    }

    private static func json(_ value: JSONValue) -> [StyledText] {
        BodyExcerpt(value).lines.map { $0.indented(by: 2) }
    }

    private func times(_ clock: WallTime, now: Int64) -> [Fact] {
        let names = [("issued", "iat"), ("good from", "nbf"), ("good until", "exp")]
        return names.compactMap { name, claim in
            token.time(claim).map { seconds in
                let time = seconds * 1_000_000_000
                let isBad = claim == "exp" ? time <= now : time > now
                let words = FoundToken.distance(time, now)
                return Fact(name, "\(clock.full(time))  \(words)", isBad ? .bad : .plain)
            }
        }
    }

    /// `2 h 3 m ago`, `in 4 m 0 s`, `in 90 days`.
    private static func distance(_ time: Int64, _ now: Int64) -> String {
        let (distance, isOver) = time.subtractingReportingOverflow(now)
        guard !isOver, distance != .min else { return "" }
        let days = abs(distance) / 86_400_000_000_000
        let words =
            days < 2
            ? Quantity.duration(abs(distance)) : Quantity.count(days, "day", isGrouped: true)
        return distance > 0 ? "in \(words)" : "\(words) ago"
    }
}
