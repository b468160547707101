public import ProxydHTTPModel

/// The meaning of a response's fields for its connection.
extension ResponseHead {
    /// Whether the server's connection may carry another exchange: for HTTP/1.1 without `close`,
    /// for HTTP/1.0 with `keep-alive` (RFC 9112 §9.3). It cannot after a body that ends with the
    /// connection, or after a tunnel.
    public var isPersistent: Bool {
        let options = ConnectionOptions(fields)
        return !options.closes && (version >= .http11 || options.keepsAlive)
    }

    /// The protocols that the server switched to (101) or offers, as written (RFC 9110 §7.8).
    public var upgradeProtocols: [String] {
        guard fields.first(.upgrade) != nil, ConnectionOptions(fields).upgrades else { return [] }
        return fields.listMembers(of: .upgrade)
    }

    /// Whether the content has transfer codings that do not end in chunked: it is forwarded
    /// unchanged and ends with the connection (RFC 9112 §6.3 rule 4). HTTP/1.0 clients cannot be
    /// told about the coding.
    public var hasOpaqueTransferCoding: Bool {
        guard fields.first(.transferEncoding) != nil else { return false }
        let codings = TransferCodings(fields)
        return !codings.isLastChunked && codings.memberCount > codings.identityCount
    }

    /// Whether the response has no body, whatever its fields say (RFC 9112 §6.3).
    public func isBodiless(to method: HTTPMethod) -> Bool {
        Framing.isBodiless(status: status, to: method)
    }

    /// The members of all Connection lines, in lower case.
    public var connectionTokens: [String] { fields.connectionTokens }

    /// Whether lines had to be repaired: `fields` then has its own bytes, with no status line
    /// before the first field.
    public var wasRepaired: Bool { fields.lines.first?.start == 0 }
}
