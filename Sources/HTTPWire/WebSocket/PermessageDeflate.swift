/// What both sides agreed upon for permessage-deflate (RFC 7692 §7.1).
public struct PermessageDeflate: Sendable, Hashable {
    /// How one direction compresses.
    public struct Direction: Sendable, Hashable {
        /// Whether a message may refer to the ones before it (RFC 7692 §7.1.1).
        public var keepsContext: Bool
        /// The base-2 logarithm of the window: 8…15 (RFC 7692 §7.1.2).
        public var windowBits: Int

        /// With context and the largest window, as where nothing is said.
        public init(keepsContext: Bool = true, windowBits: Int = 15) {
            self.keepsContext = keepsContext
            self.windowBits = windowBits
        }
    }

    /// The extension's name.
    public static let name = "permessage-deflate"

    /// What the client sends.
    public var client: Direction
    /// What the server sends.
    public var server: Direction

    /// An agreement.
    public init(client: Direction = Direction(), server: Direction = Direction()) {
        self.client = client
        self.server = server
    }

    /// How the frames of a sender are compressed.
    public func direction(of sender: WebSocketSender) -> Direction {
        sender == .client ? client : server
    }

    /// The agreement as a response's value says it: only what differs from the defaults.
    public var responseValue: String {
        var value = PermessageDeflate.name
        if !server.keepsContext { value += "; server_no_context_takeover" }
        if !client.keepsContext { value += "; client_no_context_takeover" }
        if server.windowBits < 15 { value += "; server_max_window_bits=\(server.windowBits)" }
        if client.windowBits < 15 { value += "; client_max_window_bits=\(client.windowBits)" }
        return value
    }
}

extension PermessageDeflate {
    /// The agreement that a response's element states; nil where a parameter is unknown, stands
    /// twice or has a value it may not have, which a client must refuse (RFC 7692 §7.1).
    public init?(response element: WebSocketExtension) {
        guard element.name == PermessageDeflate.name,
            let parameters = DeflateParameters(element), parameters.clientMaxWindowBits != .any
        else { return nil }
        self.init(
            client: Direction(
                keepsContext: !parameters.clientNoContextTakeover,
                windowBits: parameters.clientMaxWindowBits?.count ?? 15),
            server: Direction(
                keepsContext: !parameters.serverNoContextTakeover,
                windowBits: parameters.serverMaxWindowBits ?? 15))
    }
}
