public import FoundationEssentials
public import ProxydHTTPModel

// Validators that return a result, as in Alamofire.

extension DataCollectingRequest {
    /// Rejects responses for which `validation` returns a failure. It gets the request, the head of
    /// the response, and the body or nil if there is none.
    @discardableResult
    public func validate(
        _ validation:
            @escaping @Sendable (HTTPRequest?, ResponseHead, [UInt8]?) -> Result<Void, any Error>
    ) -> Self {
        addValidator(judging: { validation($0.request, $1, $0.data) })
    }
}

extension DownloadRequest {
    /// Rejects responses for which `validation` returns a failure. It gets the request, the head of
    /// the response and the file with the body.
    @discardableResult
    public func validate(
        _ validation:
            @escaping @Sendable (HTTPRequest?, ResponseHead, URL?) -> Result<Void, any Error>
    ) -> Self {
        addValidator(judging: { completion, response in
            validation(completion.request, response, completion.filePath.map { URL(filePath: $0) })
        })
    }
}

extension DataStreamRequest {
    /// Rejects responses for which `validation` returns a failure. It gets the request and the head
    /// of the response.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (HTTPRequest?, ResponseHead) -> Result<Void, any Error>
    ) -> Self {
        addValidator(judging: { validation($0.request, $1) })
    }
}

extension ClientRequest {
    fileprivate func addValidator(
        judging judge: @escaping @Sendable (RequestOutcome, ResponseHead) -> Result<Void, any Error>
    ) -> Self {
        addValidator { completion throws(ClientError) in
            guard let response = completion.response,
                case .failure(let error) = judge(completion, response)
            else { return }
            throw .wrapping(error, as: .responseValidationFailed(.custom))
        }
    }
}
