public import ProxydHTTPModel

/// What a response has, wherever its body went, and the value that was made of it.
public protocol SerializedResponse<Value>: Sendable {
    /// What was made of it.
    associatedtype Value: Sendable

    /// What was sent last; nil where nothing could be.
    var request: HTTPRequest? { get }
    /// The head of the last response; nil where none came.
    var response: ResponseHead? { get }
    /// When everything happened.
    var timeline: RequestTimeline { get }
    /// The value, or why there is none.
    var result: Result<Value, ClientError> { get }
    /// Every attempt: redirects, answered challenges and retries included.
    var exchanges: [Exchange] { get }
}

extension SerializedResponse {
    /// The value; nil where there is none.
    public var value: Value? { try? result.get() }
    /// Why there is no value; nil where there is one.
    public var error: ClientError? {
        if case .failure(let error) = result { error } else { nil }
    }
}

extension Result where Failure == ClientError {
    /// The value turned into another, or into a failure: what is thrown becomes
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

    /// The error turned into another, or into a value.
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
