public import Foundation
public import ProxydHTTPModel

// Validators that give their judgement as a result, as Alamofire's do.

extension DataCollectingRequest {
    /// Refuses responses for which `validation` gives a failure. It gets the request, the head of
    /// the response and the body; nil where there is none.
    @discardableResult
    public func validate(
        _ validation:
            @escaping @Sendable (HTTPRequest?, ResponseHead, [UInt8]?) -> Result<Void, any Error>
    ) -> Self {
        addValidator(judging: { validation($0.request, $1, $0.data) })
    }
}

extension DownloadRequest {
    /// Refuses responses for which `validation` gives a failure. It gets the request, the head of
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
    /// Refuses responses for which `validation` gives a failure. It gets the request and the head
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
