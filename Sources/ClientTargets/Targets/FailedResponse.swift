public import ClientLib

/// The response that came with an error, and what else led to it.
struct FailedResponse: Error, CustomStringConvertible {
    let response: TargetResponse
    let underlying: (any Error)?

    var description: String {
        let shown = response.description
        return underlying.map { "\(shown): \(UnderlyingErrorText.text(of: $0))" } ?? shown
    }
}

extension ClientError {
    /// The response that was not accepted or not understood, where the request was that of a
    /// target; nil where none came.
    public var response: TargetResponse? { (underlying as? FailedResponse)?.response }

    /// The error of someone else that led to this one; behind the response, where there is one.
    public var cause: (any Error)? {
        guard let failed = underlying as? FailedResponse else { return underlying }
        return failed.underlying
    }

    /// The same error with the response that came with it.
    func carrying(_ response: TargetResponse?) -> ClientError {
        guard let response, self.response == nil else { return self }
        return ClientError(
            kind, phase: phase, fault: fault, message: message, attempt: attempt,
            underlying: FailedResponse(response: response, underlying: underlying))
    }
}
