public import ProxydHTTPModel

/// What a response's fields mean for its connection.
extension ResponseHead {
    /// Whether the server's connection may carry another exchange: HTTP/1.1 without `close`,
    /// HTTP/1.0 with `keep-alive` (RFC 9112 §9.3). A body until close, or a tunnel, ends it anyhow.
    public var isPersistent: Bool {
        let options = ConnectionOptions(fields)
        return !options.closes && (version >= .http11 || options.keepsAlive)
    }

    /// The protocols the server switched to (101) or offers, as written (RFC 9110 §7.8).
    public var upgradeProtocols: [String] {
        guard fields.first(.upgrade) != nil, ConnectionOptions(fields).upgrades else { return [] }
        return fields.listMembers(of: .upgrade)
    }

    /// Whether content comes in transfer codings that do not end in chunked: it goes on as it is
    /// and ends with the connection (RFC 9112 §6.3 rule 4). Clients of HTTP/1.0 cannot be told.
    public var hasOpaqueTransferCoding: Bool {
        guard fields.first(.transferEncoding) != nil else { return false }
        let codings = TransferCodings(fields)
        return !codings.isLastChunked && codings.memberCount > codings.identityCount
    }

    /// Whether no body follows, whatever the fields say (RFC 9112 §6.3).
    public func isBodiless(to method: HTTPMethod) -> Bool {
        Framing.isBodiless(status: status, to: method)
    }

    /// The members of all Connection lines, lower case.
    public var connectionTokens: [String] { fields.connectionTokens }

    /// Whether lines had to be repaired: `fields` then has octets of its own, without a status line
    /// before the first.
    public var wasRepaired: Bool { fields.lines.first?.start == 0 }
}
