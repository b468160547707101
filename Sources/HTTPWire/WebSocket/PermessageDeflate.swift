/// The parameters of permessage-deflate that both sides have agreed on (RFC 7692 §7.1).
public struct PermessageDeflate: Sendable, Hashable {
    public struct Direction: Sendable, Hashable {
        /// Whether a message may refer to the ones before it (RFC 7692 §7.1.1).
        public var keepsContext: Bool
        /// The base-2 logarithm of the window: 8…15 (RFC 7692 §7.1.2).
        public var windowBits: Int

        /// The defaults, with context and the largest window, are those of the RFC.
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

    public init(client: Direction = Direction(), server: Direction = Direction()) {
        self.client = client
        self.server = server
    }

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

/// The parameters of one `permessage-deflate` element in an offer or a response (RFC 7692 §7.1).
struct DeflateParameters: Sendable, Hashable {
    /// The value of `client_max_window_bits`.
    enum ClientWindow: Sendable, Hashable {
        /// No value, which is allowed in an offer only: the server may choose one.
        case any
        /// 8…15.
        case bits(Int)

        var count: Int { if case .bits(let count) = self { count } else { 15 } }
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    /// 8…15; nil if the parameter is missing.
    var serverMaxWindowBits: Int?
    /// Nil if the parameter is missing.
    var clientMaxWindowBits: ClientWindow?

    init() {}

    /// Returns nil if a parameter is unknown, occurs twice or has an invalid value.
    init?(_ element: WebSocketExtension) {
        var seen: Set<String> = []
        for parameter in element.parameters {
            guard seen.insert(parameter.name).inserted, note(parameter) else { return nil }
        }
    }

    private mutating func note(_ parameter: WebSocketExtension.Parameter) -> Bool {
        switch (parameter.name, parameter.value) {
        case ("server_no_context_takeover", nil): serverNoContextTakeover = true
        case ("client_no_context_takeover", nil): clientNoContextTakeover = true
        case ("client_max_window_bits", nil): clientMaxWindowBits = .any
        case ("server_max_window_bits", let value?):
            serverMaxWindowBits = DeflateParameters.bits(value)
            return serverMaxWindowBits != nil
        case ("client_max_window_bits", let value?):
            clientMaxWindowBits = DeflateParameters.bits(value).map(ClientWindow.bits)
            return clientMaxWindowBits != nil
        default: return false
        }
        return true
    }

    /// Parses a decimal number 8…15 without leading zeros (RFC 7692 §7.1.2.1).
    private static func bits(_ value: String) -> Int? { (8...15).first { "\($0)" == value } }
}
