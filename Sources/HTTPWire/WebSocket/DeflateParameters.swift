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
    private static func bits(_ value: String) -> Int? {
        (8...15).first { "\($0)" == value }
    }
}
