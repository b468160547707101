internal import ProxydHTTPWire

/// What of a server's bytes cannot be taken: what the request fails with, and the code that the
/// server is told.
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

    /// A rule was broken.
    init(_ fault: WebSocketFault) {
        let failure: ClientError.WebSocketFailure =
            fault == .invalidUTF8 ? .invalidText : .protocolError(fault.description)
        self.init(
            error: ClientError(.webSocketFailed(failure)),
            closeCode: WebSocketRequest.CloseCode(rawValue: fault.closeCode))
    }
}
