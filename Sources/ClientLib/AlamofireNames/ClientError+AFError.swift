/// What is asked of errors most, under the names that Alamofire gives it.
extension ClientError {
    /// Whether the request was cancelled by the program.
    public var isExplicitlyCancelledError: Bool { kind == .explicitlyCancelled }

    /// Whether a validator refused the response.
    public var isResponseValidationError: Bool {
        if case .responseValidationFailed = kind { true } else { false }
    }

    /// Whether a serializer could make nothing of the response.
    public var isResponseSerializationError: Bool {
        if case .responseSerializationFailed = kind { true } else { false }
    }

    /// Whether the server's certificate is not trusted.
    public var isServerTrustEvaluationError: Bool {
        if case .serverTrustEvaluationFailed = kind { true } else { false }
    }

    /// The status that a validator refused; nil where the error is another one.
    public var responseCode: Int? {
        if case .responseValidationFailed(.unacceptableStatusCode(let code)) = kind {
            code
        } else {
            nil
        }
    }

    /// The error of someone else that led to this one.
    public var underlyingError: (any Error)? { underlying }
}

extension Error {
    /// The error as one of this library; nil where it is another one.
    public var asAFError: AFError? { self as? AFError }
}
