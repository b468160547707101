public import ClientLib

/// The response that accompanies an error, and the underlying error.
struct FailedResponse: Error, CustomStringConvertible {
    let response: TargetResponse
    let underlying: (any Error)?

    var description: String {
        let shown = response.description
        return underlying.map { "\(shown): \(UnderlyingErrorText.text(of: $0))" } ?? shown
    }
}

extension ClientError {
    /// The response that was rejected or could not be parsed, if the request was for a target; nil
    /// if there was none.
    public var response: TargetResponse? { (underlying as? FailedResponse)?.response }

    /// The underlying error, which is wrapped together with the response if there is one.
    public var cause: (any Error)? {
        guard let failed = underlying as? FailedResponse else { return underlying }
        return failed.underlying
    }

    /// The same error with its response attached.
    func carrying(_ response: TargetResponse?) -> ClientError {
        guard let response, self.response == nil else { return self }
        return ClientError(
            kind, phase: phase, fault: fault, message: message, attempt: attempt,
            underlying: FailedResponse(response: response, underlying: underlying))
    }
}
