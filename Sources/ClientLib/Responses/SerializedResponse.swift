public import ProxydHTTPModel

/// What data and download responses have in common, and the value made from the body.
public protocol SerializedResponse<Value>: Sendable {
    /// The type of the value made from the body.
    associatedtype Value: Sendable

    /// The request that was sent last, or nil if none could be sent.
    var request: HTTPRequest? { get }
    /// The head of the last response, or nil if none arrived.
    var response: ResponseHead? { get }
    /// When each step of the request happened.
    var timeline: RequestTimeline { get }
    /// The value, or the error if there is none.
    var result: Result<Value, ClientError> { get }
    /// Every attempt, including redirects, answered challenges and retries.
    var exchanges: [Exchange] { get }
}

extension SerializedResponse {
    /// The value, or nil if there is none.
    public var value: Value? { try? result.get() }
    /// Why there is no value, or nil if there is one.
    public var error: ClientError? {
        if case .failure(let error) = result { error } else { nil }
    }
}

extension Result where Failure == ClientError {
    /// Transforms the value, or fails: a thrown error becomes
    /// `.responseSerializationFailed(.custom)` unless it is a `ClientError`.
    func tryMap<Other>(_ transform: (Success) throws -> Other) -> Result<Other, ClientError> {
        flatMap { value in
            do {
                return .success(try transform(value))
            } catch {
                return .failure(.wrapping(error, as: .responseSerializationFailed(.custom)))
            }
        }
    }

    /// Transforms the error or replaces it with a value.
    func tryMapError(_ transform: (ClientError) throws -> Success) -> Self {
        flatMapError { error in
            do {
                return .success(try transform(error))
            } catch {
                return .failure(.wrapping(error, as: .responseSerializationFailed(.custom)))
            }
        }
    }
}
