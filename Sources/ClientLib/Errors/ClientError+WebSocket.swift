extension ClientError {
    /// Why a WebSocket was not opened, or did not end well. What is too large is
    /// `.messageTooLarge`.
    public enum WebSocketFailure: Sendable, Hashable {
        /// The server did not switch protocols, but answered with this status.
        case notUpgraded(status: Int)
        /// A field of the server's answer is not what was asked for; which.
        case badHandshake(field: String)
        /// The server broke a rule of the protocol; which, for a person.
        case protocolError(String)
        /// The server sent text that is not UTF-8.
        case invalidText
        /// The server closed it with a code that is neither 1000 nor 1001.
        case closed(CloseCode)
        /// The connection ended without a closing handshake: what RFC 6455 calls 1006.
        case closedAbnormally
        /// The server did not answer a ping in time.
        case pingTimedOut
        /// It is not open, or not open any more: nothing can be sent.
        case notOpen
        /// The code may not be sent in a close frame.
        case badCloseCode(CloseCode)
    }
}

extension ClientError.WebSocketFailure {
    var isOurs: Bool {
        switch self {
        case .notOpen, .badCloseCode: true
        default: false
        }
    }

    var message: String {
        switch self {
        case .notUpgraded(let status):
            "the server did not open the WebSocket: it answered \(status)"
        case .badHandshake(let field):
            "the server's \(field) does not fit what was asked for"
        case .protocolError(let rule): "the server broke a rule of WebSocket: \(rule)"
        case .invalidText: "the server sent text that is not UTF-8"
        case .closed(let code): "the server closed the WebSocket with code \(code.rawValue)"
        case .closedAbnormally: "the connection ended without a closing handshake"
        case .pingTimedOut: "the server did not answer a ping"
        case .notOpen: "the WebSocket is not open"
        case .badCloseCode(let code): "the code \(code.rawValue) cannot be sent"
        }
    }
}
