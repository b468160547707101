/// The parameters of permessage-deflate that both sides have agreed on (RFC 7692 §7.1).
public struct PermessageDeflate: Sendable, Hashable {
    /// The compression parameters of one direction.
    public struct Direction: Sendable, Hashable {
        /// Whether a message may refer to the ones before it (RFC 7692 §7.1.1).
        public var keepsContext: Bool
        /// The base-2 logarithm of the window: 8…15 (RFC 7692 §7.1.2).
        public var windowBits: Int

        /// Creates parameters; the defaults, with context and the largest window, are those of the
        /// RFC.
        public init(keepsContext: Bool = true, windowBits: Int = 15) {
            self.keepsContext = keepsContext
            self.windowBits = windowBits
        }
    }

    /// The extension's name in Sec-WebSocket-Extensions.
    public static let name = "permessage-deflate"

    /// The compression of frames sent by the client.
    public var client: Direction
    /// The compression of frames sent by the server.
    public var server: Direction

    /// Creates an agreement; by default with the default parameters in both directions.
    public init(client: Direction = Direction(), server: Direction = Direction()) {
        self.client = client
        self.server = server
    }

    /// Returns the compression parameters for a sender's frames.
    public func direction(of sender: WebSocketSender) -> Direction {
        sender == .client ? client : server
    }

    /// The agreement as the value for a response: only parameters that differ from the defaults.
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
    /// Creates the agreement stated in a response's element; returns nil if a parameter is unknown,
    /// occurs twice or has an invalid value, which a client must refuse (RFC 7692 §7.1).
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
