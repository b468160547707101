/// One offer of permessage-deflate by a client (RFC 7692 §7.1).
public struct PermessageDeflateOffer: Sendable, Hashable {
    private var parameters: DeflateParameters

    /// Creates the offer that almost all clients make: the server may choose the client's window.
    public init() {
        parameters = DeflateParameters()
        parameters.clientMaxWindowBits = .any
    }

    /// Creates the offer in an element of the request's field; returns nil if it is a different
    /// extension, or if a server must decline it because a parameter is unknown, occurs twice or
    /// has an invalid value.
    public init?(_ element: WebSocketExtension) {
        guard element.name == PermessageDeflate.name, let parameters = DeflateParameters(element)
        else { return nil }
        self.parameters = parameters
    }

    /// The element as text.
    public var value: String {
        var value = PermessageDeflate.name
        if parameters.serverNoContextTakeover { value += "; server_no_context_takeover" }
        if parameters.clientNoContextTakeover { value += "; client_no_context_takeover" }
        if let bits = parameters.serverMaxWindowBits { value += "; server_max_window_bits=\(bits)" }
        switch parameters.clientMaxWindowBits {
        case .any: value += "; client_max_window_bits"
        case .bits(let count): value += "; client_max_window_bits=\(count)"
        case nil: break
        }
        return value
    }

    /// Whether an agreement is a valid response to this offer (RFC 7692 §7.1.1, §7.1.2): it must
    /// contain what was requested, and may set the client's window only if the offer allows that.
    public func allows(_ agreement: PermessageDeflate) -> Bool {
        if parameters.serverNoContextTakeover, agreement.server.keepsContext { return false }
        if agreement.server.windowBits > parameters.serverMaxWindowBits ?? 15 { return false }
        return parameters.clientMaxWindowBits != nil || agreement.client.windowBits == 15
    }

    /// The agreement with which a server accepts everything that the offer requests.
    public var accepted: PermessageDeflate {
        PermessageDeflate(
            client: .init(
                keepsContext: !parameters.clientNoContextTakeover,
                windowBits: parameters.clientMaxWindowBits?.count ?? 15),
            server: .init(
                keepsContext: !parameters.serverNoContextTakeover,
                windowBits: parameters.serverMaxWindowBits ?? 15))
    }
}
