public import ProxydHTTPModel

/// What a request's fields mean for its connection.
extension RequestHead {
    /// Whether another request may follow on the client's connection: HTTP/1.1 without `close`; a
    /// proxy never keeps an HTTP/1.0 client's (RFC 9112 §9.3).
    public var isPersistent: Bool {
        version >= .http11 && !ConnectionOptions(fields).closes
    }

    /// Whether the client waits for 100 before it sends the body; never from HTTP/1.0
    /// (RFC 9110 §10.1.1).
    public var expectsContinue: Bool {
        guard version >= .http11 else { return false }
        return fields.lines.contains { line in
            line.name == .expect && fields.hasMember("100-continue", in: line)
        }
    }

    /// The protocols the client offers to switch to, as written; only from HTTP/1.1 and only when
    /// Connection names the field (RFC 9110 §7.8).
    public var upgradeProtocols: [String] {
        guard version >= .http11, fields.first(.upgrade) != nil,
            ConnectionOptions(fields).upgrades
        else { return [] }
        return fields.listMembers(of: .upgrade)
    }

    /// Those of `upgradeProtocols` that go on to the server, as `HTTP1HeadWriter` writes them;
    /// the server may switch to these only.
    public var forwardedUpgradeProtocols: [String] {
        upgradeProtocols.filter { UpgradeOffer.isAllowed($0.utf8Span.span) }
    }

    /// How many more hops TRACE or OPTIONS may take (RFC 9110 §7.6.2); the largest number we know
    /// for a larger one, nil where there is none or it is no number.
    public var maxForwards: UInt64? {
        guard let line = fields.first(.maxForwards) else { return nil }
        let digits = fields.octets.span.extracting(line.valueRange)
        if let value = WireNumber.decimal(digits) { return value }
        let isNumber =
            digits.count > 0
            && digits.indices.allSatisfy { index in
                OctetClass.isDigit(fields.octets[line.valueRange.lowerBound + index])
            }
        return isNumber ? WireNumber.lengthMax : nil
    }

    /// The members of all Connection lines, lower case.
    public var connectionTokens: [String] { fields.connectionTokens }
}
