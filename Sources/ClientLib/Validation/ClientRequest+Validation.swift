public import FoundationEssentials
public import ProxydHTTPModel

extension ClientRequest {
    /// Rejects responses whose status is not one of the acceptable ones.
    @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode acceptable: Codes) -> Self
    where Codes.Element == Int {
        addValidator { completion throws(ClientError) in
            guard let status = completion.response?.status else { return }
            guard acceptable.contains(status) else {
                throw ClientError(
                    .responseValidationFailed(.unacceptableStatusCode(code: status)))
            }
        }
    }

    /// Rejects responses whose content type is not one of the acceptable ones; `*` matches any type
    /// or subtype. Responses without a body always pass.
    @discardableResult
    public func validate(contentType acceptable: [String]) -> Self {
        addValidator { completion throws(ClientError) in
            try ContentTypeValidation.check(completion, acceptable)
        }
    }

    /// Rejects responses whose status is not 200…299, or whose content type the request's Accept
    /// does not include.
    @discardableResult
    public func validate() -> Self {
        validate(statusCode: 200..<300).addValidator { completion throws(ClientError) in
            let accepted = completion.request?.fields.values(named: "Accept") ?? []
            try ContentTypeValidation.check(
                completion, accepted.isEmpty ? ["*/*"] : ContentTypeValidation.types(in: accepted))
        }
    }

    /// Rejects responses for which `validation` throws.
    func addValidator(
        throwing validation: @escaping @Sendable (RequestOutcome, ResponseHead) throws -> Void
    ) -> Self {
        addValidator { completion throws(ClientError) in
            guard let response = completion.response else { return }
            do {
                try validation(completion, response)
            } catch {
                throw .wrapping(error, as: .responseValidationFailed(.custom))
            }
        }
    }

    @discardableResult
    func addValidator(
        _ validate: @escaping @Sendable (RequestOutcome) throws(ClientError) -> Void
    ) -> Self {
        core.configure { $0.validators.append(Validator(validate: validate)) }
        return self
    }
}

extension DataCollectingRequest {
    /// Rejects responses for which `validation` throws. It gets the request, the head of the
    /// response, and the body or nil if there is none.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (HTTPRequest?, ResponseHead, [UInt8]?) throws -> Void
    ) -> Self {
        addValidator(throwing: { completion, response in
            try validation(completion.request, response, completion.data)
        })
    }
}

extension DownloadRequest {
    /// Rejects responses for which `validation` throws. It gets the request, the head of the
    /// response and the file with the body before it is moved: a rejected file never reaches its
    /// destination.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (HTTPRequest?, ResponseHead, URL?) throws -> Void
    ) -> Self {
        addValidator(throwing: { completion, response in
            let file = completion.filePath.map { URL(filePath: $0) }
            try validation(completion.request, response, file)
        })
    }
}

extension DataStreamRequest {
    /// Rejects responses for which `validation` throws. It gets the request and the head of the
    /// response; the body has been delivered in pieces.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (HTTPRequest?, ResponseHead) throws -> Void
    ) -> Self {
        addValidator(throwing: { completion, response in
            try validation(completion.request, response)
        })
    }
}
