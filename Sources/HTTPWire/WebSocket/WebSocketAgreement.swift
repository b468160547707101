public import ProxydHTTPModel

/// The extensions agreed on in an opening handshake (RFC 6455 §9.1, RFC 7692 §5).
public struct WebSocketAgreement: Sendable, Hashable {
    /// The parameters of permessage-deflate, or nil if messages are not compressed.
    public var deflate: PermessageDeflate?
    /// Whether other extensions were agreed on, which may change frames in unknown ways.
    public var hasOtherExtensions: Bool

    /// Creates an agreement; by default without extensions.
    public init(deflate: PermessageDeflate? = nil, hasOtherExtensions: Bool = false) {
        self.deflate = deflate
        self.hasOtherExtensions = hasOtherExtensions
    }

    /// Why a response's extensions cannot be accepted. A client must fail the connection.
    public enum Fault: Error, Sendable, Hashable {
        /// A line of the response does not match the grammar.
        case malformed
        /// The response names an extension that was not offered.
        case notOffered
        /// The response names permessage-deflate twice or with invalid parameters.
        case unacceptable
    }

    /// Determines what the server's response agrees to.
    /// - Parameters:
    ///   - request: the fields of the client's handshake, with its offers.
    ///   - response: the fields of the server's handshake.
    public init(request: HeaderFields, response: HeaderFields) throws(Fault) {
        self.init()
        guard let chosen = WebSocketExtension.list(in: response) else { throw .malformed }
        guard !chosen.isEmpty else { return }
        let offered = WebSocketExtension.list(in: request) ?? []
        for element in chosen {
            guard offered.contains(where: { $0.name == element.name }) else { throw .notOffered }
            guard element.name == PermessageDeflate.name else {
                hasOtherExtensions = true
                continue
            }
            guard deflate == nil, let found = PermessageDeflate(response: element),
                offered.contains(where: { PermessageDeflateOffer($0)?.allows(found) == true })
            else { throw .unacceptable }
            deflate = found
        }
    }
}

extension WebSocketAgreement.Fault: CustomStringConvertible {
    /// A message for the user that names the section of the RFC.
    public var description: String {
        switch self {
        case .malformed: "Sec-WebSocket-Extensions cannot be read (RFC 6455 §9.1)"
        case .notOffered: "the server chose an extension that was not offered (RFC 6455 §4.1)"
        case .unacceptable:
            "the server chose permessage-deflate as it was not offered (RFC 7692 §7.1)"
        }
    }
}
