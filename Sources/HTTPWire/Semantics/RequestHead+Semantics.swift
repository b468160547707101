public import HTTPModel

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

    /// The members of all Connection lines, lower case.
    public var connectionTokens: [String] { fields.connectionTokens }
}
