/// The most common questions about errors, with Alamofire's names.
extension ClientError {
    /// Whether the program cancelled the request.
    public var isExplicitlyCancelledError: Bool { kind == .explicitlyCancelled }

    /// Whether a validator rejected the response.
    public var isResponseValidationError: Bool {
        if case .responseValidationFailed = kind { true } else { false }
    }

    /// Whether a serializer could not convert the response.
    public var isResponseSerializationError: Bool {
        if case .responseSerializationFailed = kind { true } else { false }
    }

    /// Whether the server's certificate is not trusted.
    public var isServerTrustEvaluationError: Bool {
        if case .serverTrustEvaluationFailed = kind { true } else { false }
    }

    /// The status that a validator rejected, or nil for other errors.
    public var responseCode: Int? {
        if case .responseValidationFailed(.unacceptableStatusCode(let code)) = kind {
            code
        } else {
            nil
        }
    }

    /// The error that caused this one, for example from a decoder.
    public var underlyingError: (any Error)? { underlying }
}

extension Error {
    /// The error as one of this library, or nil for other errors.
    public var asAFError: AFError? { self as? AFError }
}
