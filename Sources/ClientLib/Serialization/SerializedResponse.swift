public import ProxydHTTPModel
public import FoundationEssentials
internal import Synchronization

/// What data and download responses have in common, and the value made from the body.
public protocol SerializedResponse<Value>: Sendable {
    associatedtype Value: Sendable

    /// The request that was sent last, or nil if none could be sent.
    var request: HTTPRequest? { get }
    /// The head of the last response, or nil if none arrived.
    var response: ResponseHead? { get }
    var timeline: RequestTimeline { get }
    var result: Result<Value, ClientError> { get }
    /// Every attempt, including redirects, answered challenges and retries.
    var exchanges: [Exchange] { get }
}

extension SerializedResponse {
    public var value: Value? { try? result.get() }
    public var error: ClientError? {
        if case .failure(let error) = result { error } else { nil }
    }
}

extension Result where Failure == ClientError {
    /// A thrown error becomes `.responseSerializationFailed(.custom)` unless it is a `ClientError`.
    func tryMap<Other>(_ transform: (Success) throws -> Other) -> Result<Other, ClientError> {
        flatMap { value in
            do {
                return .success(try transform(value))
            } catch {
                return .failure(.wrapping(error, as: .responseSerializationFailed(.custom)))
            }
        }
    }

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

/// The response to a request, and the value made from its body.
public struct DataResponse<Value: Sendable>: SerializedResponse {
    public let request: HTTPRequest?
    public let response: ResponseHead?
    /// The body with content codings removed, or nil if there was none.
    public let data: [UInt8]?
    public let timeline: RequestTimeline
    public let result: Result<Value, ClientError>
    let attempts: [AttemptRecord]

    public var exchanges: [Exchange] { attempts.map(\.exchange) }

    public func map<Other: Sendable>(_ transform: (Value) -> Other) -> DataResponse<Other> {
        replacing(result.map(transform))
    }

    /// A thrown error becomes `.responseSerializationFailed(.custom)` unless it is a `ClientError`.
    public func tryMap<Other: Sendable>(
        _ transform: (Value) throws -> Other
    ) -> DataResponse<Other> {
        replacing(result.tryMap(transform))
    }

    public func mapError(_ transform: (ClientError) -> ClientError) -> DataResponse<Value> {
        replacing(result.mapError(transform))
    }

    public func tryMapError(_ transform: (ClientError) throws -> Value) -> DataResponse<Value> {
        replacing(result.tryMapError(transform))
    }

    private func replacing<Other: Sendable>(
        _ result: Result<Other, ClientError>
    ) -> DataResponse<Other> {
        DataResponse<Other>(
            request: request, response: response, data: data, timeline: timeline,
            result: result, attempts: attempts)
    }
}

public struct DownloadResponse<Value: Sendable>: SerializedResponse {
    public let request: HTTPRequest?
    public let response: ResponseHead?
    /// The downloaded file, or nil if there is none.
    public let fileURL: URL?
    /// What is needed to resume the download if it ended early.
    public let resumeData: DownloadResumeData?
    public let timeline: RequestTimeline
    public let result: Result<Value, ClientError>
    let attempts: [AttemptRecord]

    public var exchanges: [Exchange] { attempts.map(\.exchange) }

    public func map<Other: Sendable>(_ transform: (Value) -> Other) -> DownloadResponse<Other> {
        replacing(result.map(transform))
    }

    /// A thrown error becomes `.responseSerializationFailed(.custom)` unless it is a `ClientError`.
    public func tryMap<Other: Sendable>(
        _ transform: (Value) throws -> Other
    ) -> DownloadResponse<Other> {
        replacing(result.tryMap(transform))
    }

    public func mapError(_ transform: (ClientError) -> ClientError) -> DownloadResponse<Value> {
        replacing(result.mapError(transform))
    }

    public func tryMapError(_ transform: (ClientError) throws -> Value) -> DownloadResponse<Value> {
        replacing(result.tryMapError(transform))
    }

    private func replacing<Other: Sendable>(
        _ result: Result<Other, ClientError>
    ) -> DownloadResponse<Other> {
        DownloadResponse<Other>(
            request: request, response: response, fileURL: fileURL, resumeData: resumeData,
            timeline: timeline, result: result, attempts: attempts)
    }
}

/// Waits for the value of a data or upload request.
public struct DataTask<Value: Sendable>: Sendable {
    let request: any ClientRequest
    let waitForResponse: @Sendable () async -> DataResponse<Value>

    /// Waits for the response. Never throws; check its `result`.
    public var response: DataResponse<Value> { get async { await waitForResponse() } }

    public var result: Result<Value, ClientError> { get async { await response.result } }

    public var value: Value {
        get async throws(ClientError) { try await response.result.get() }
    }

    public func cancel() { request.cancel() }
    public func resume() { request.resume() }
    public func suspend() { request.suspend() }
}

/// Waits for the value of a download.
public struct DownloadTask<Value: Sendable>: Sendable {
    let request: DownloadRequest
    let promise: AsyncPromise<DownloadResponse<Value>>
    let isCancelling: Bool

    /// Waits for the response. Never throws; check its `result`.
    public var response: DownloadResponse<Value> {
        get async { await promise.value(cancelling: isCancelling ? request : nil) }
    }

    public var result: Result<Value, ClientError> { get async { await response.result } }

    public var value: Value {
        get async throws(ClientError) { try await response.result.get() }
    }

    public func cancel() { request.cancel() }
}

/// A value that is set once, later; any number of tasks may wait for it.
final class AsyncPromise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([UnsafeContinuation<Value, Never>])
        case there(Value)
    }

    private let state = Mutex(State.waiting([]))

    var value: Value {
        get async {
            await withUnsafeContinuation { continuation in
                let known: Value? = state.withLock { state in
                    switch state {
                    case .there(let value): return value
                    case .waiting(let others):
                        state = .waiting(others + [continuation])
                        return nil
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    var isThere: Bool { state.withLock { if case .there = $0 { true } else { false } } }

    /// Waits for the value; if the task is cancelled meanwhile, cancels the request.
    func value(cancelling request: (any ClientRequest)?) async -> Value {
        guard let request, !isThere else { return await value }
        return await withTaskCancellationHandler {
            await value
        } onCancel: {
            request.cancel()
        }
    }

    /// Sets the value; only the first call has an effect.
    func fulfil(_ value: Value) {
        let waiting = state.withLock { state -> [UnsafeContinuation<Value, Never>] in
            guard case .waiting(let waiting) = state else { return [] }
            state = .there(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }
}
