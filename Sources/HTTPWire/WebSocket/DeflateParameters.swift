/// The parameters of one element `permessage-deflate`, in an offer or a response (RFC 7692 §7.1).
struct DeflateParameters: Sendable, Hashable {
    /// What `client_max_window_bits` says.
    enum ClientWindow: Sendable, Hashable {
        /// Without a value, in an offer only: the server may name one.
        case any
        /// 8…15.
        case bits(Int)

        var count: Int { if case .bits(let count) = self { count } else { 15 } }
    }

    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    /// 8…15; nil where it is not there.
    var serverMaxWindowBits: Int?
    /// Nil where it is not there.
    var clientMaxWindowBits: ClientWindow?

    init() {}

    /// Nil where a parameter is unknown, stands twice or has a value that it may not have.
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

    /// A decimal without leading zeroes, 8…15 (RFC 7692 §7.1.2.1).
    private static func bits(_ value: String) -> Int? {
        (8...15).first { "\($0)" == value }
    }
}
