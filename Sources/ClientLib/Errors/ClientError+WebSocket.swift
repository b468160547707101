extension ClientError {
    /// Why a WebSocket could not be opened, or did not end normally. For data that is too large the
    /// error is `.messageTooLarge`.
    public enum WebSocketFailure: Sendable, Hashable {
        /// The server did not switch protocols but responded with this status.
        case notUpgraded(status: Int)
        /// The named field of the server's response does not match the request.
        case badHandshake(field: String)
        /// The server violated the protocol; the text describes the violation.
        case protocolError(String)
        /// The server sent text that is not UTF-8.
        case invalidText
        /// The server closed the connection with a code other than 1000 and 1001.
        case closed(CloseCode)
        /// The connection ended without a closing handshake (code 1006 in RFC 6455).
        case closedAbnormally
        /// The server did not answer a ping in time.
        case pingTimedOut
        /// The WebSocket is not open yet, or no longer open: nothing can be sent.
        case notOpen
        /// The code is not allowed in a close frame.
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
            "the server's \(field) does not match the request"
        case .protocolError(let rule): "the server violated the WebSocket protocol: \(rule)"
        case .invalidText: "the server sent text that is not UTF-8"
        case .closed(let code): "the server closed the WebSocket with code \(code.rawValue)"
        case .closedAbnormally: "the connection ended without a closing handshake"
        case .pingTimedOut: "the server did not answer a ping"
        case .notOpen: "the WebSocket is not open"
        case .badCloseCode(let code): "the code \(code.rawValue) cannot be sent"
        }
    }
}
