internal import ProxydHTTPWire

/// Why a server's bytes were rejected: the error of the request, and the close code for the server.
struct WebSocketViolation: Error {
    let error: ClientError
    let closeCode: WebSocketRequest.CloseCode

    /// A message is too large.
    static func tooLarge(limit: Int) -> WebSocketViolation {
        WebSocketViolation(
            error: ClientError(.messageTooLarge(limit: limit)), closeCode: .messageTooBig)
    }

    init(error: ClientError, closeCode: WebSocketRequest.CloseCode) {
        self.error = error
        self.closeCode = closeCode
    }

    /// The server violated the protocol.
    init(_ fault: WebSocketFault) {
        let failure: ClientError.WebSocketFailure =
            fault == .invalidUTF8 ? .invalidText : .protocolError(fault.description)
        self.init(
            error: ClientError(.webSocketFailed(failure)),
            closeCode: WebSocketRequest.CloseCode(rawValue: fault.closeCode))
    }
}
