public import ProxydHTTPModel

/// The meaning of a request's fields for its connection.
extension RequestHead {
    /// Whether another request may follow on the client's connection: only for HTTP/1.1 without
    /// `close`, because a proxy never keeps the connection of an HTTP/1.0 client (RFC 9112 §9.3).
    public var isPersistent: Bool {
        version >= .http11 && !ConnectionOptions(fields).closes
    }

    /// Whether the client waits for a 100 response before it sends the body; never true for
    /// HTTP/1.0 (RFC 9110 §10.1.1).
    public var expectsContinue: Bool {
        guard version >= .http11 else { return false }
        return fields.lines.contains { line in
            line.name == .expect && fields.hasMember("100-continue", in: line)
        }
    }

    /// The protocols that the client offers to switch to, as written; only for HTTP/1.1 and only if
    /// Connection names the field (RFC 9110 §7.8).
    public var upgradeProtocols: [String] {
        guard version >= .http11, fields.first(.upgrade) != nil,
            ConnectionOptions(fields).upgrades
        else { return [] }
        return fields.listMembers(of: .upgrade)
    }

    /// The `upgradeProtocols` that `HTTP1HeadWriter` forwards to the server, which may switch only
    /// to these.
    public var forwardedUpgradeProtocols: [String] {
        upgradeProtocols.filter { UpgradeOffer.isAllowed($0.utf8Span.span) }
    }

    /// The remaining number of hops for TRACE or OPTIONS (RFC 9110 §7.6.2). Larger numbers are
    /// reduced to the maximum; nil if there is none or it is not a number.
    public var maxForwards: UInt64? {
        guard let line = fields.first(.maxForwards) else { return nil }
        let digits = fields.bytes.span.extracting(line.valueRange)
        if let value = WireNumber.decimal(digits) { return value }
        let isNumber =
            digits.count > 0
            && digits.indices.allSatisfy { index in
                ByteClass.isDigit(fields.bytes[line.valueRange.lowerBound + index])
            }
        return isNumber ? WireNumber.lengthMax : nil
    }

    /// The members of all Connection lines, in lower case.
    public var connectionTokens: [String] { fields.connectionTokens }
}
