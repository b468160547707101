internal import ClientLib
internal import ProxydHTTPModel
internal import Foundation
internal import Synchronization

/// A provider's request under way, and the callers that wait for it.
final class InflightRequest: Sendable {
    typealias Outcome = Result<TargetResponse, ClientError>

    struct Caller: Sendable {
        let progress: (@Sendable (ProgressResponse) -> Void)?
        let completion: @Sendable (Outcome) -> Void
    }

    private struct State {
        var callers: [Int: Caller] = [:]
        var lastID = 0
        var left: Set<Int> = []
        /// Whether no further caller may join.
        var isClosed = false
        var request: (any ClientRequest)?
        var plugins: PluginInterceptor?
        var isObserved = false
    }

    private let state: Mutex<State>

    init(_ first: Caller) { state = Mutex(State(callers: [1: first], lastID: 1)) }

    var firstToken: CancellableToken { CancellableToken(inflight: self, id: 1) }

    /// Adds a caller, or returns nil if the request has ended or is being cancelled.
    func join(_ caller: Caller) -> CancellableToken? {
        let (id, request): (Int?, (any ClientRequest)?) = state.withLock { state in
            guard !state.isClosed else { return (nil, nil) }
            state.lastID += 1
            state.callers[state.lastID] = caller
            return (state.lastID, state.request)
        }
        if let request { observe(request) }
        return id.map { CancellableToken(inflight: self, id: $0) }
    }

    /// Starts the request unless all callers have already left.
    func launch(_ request: any ClientRequest, _ plugins: PluginInterceptor) {
        let isGivenUp = state.withLock { state in
            state.request = request
            state.plugins = plugins
            return state.isClosed
        }
        observe(request)
        if isGivenUp { request.cancel() }
    }

    func hasLeft(_ id: Int) -> Bool { state.withLock { $0.left.contains(id) } }

    /// Removes a caller. The last one cancels the request, and is called when that has ended.
    func leave(_ id: Int) {
        enum Step { case none, end((any ClientRequest)?), tell(Caller, PluginInterceptor?) }
        let step: Step = state.withLock { state in
            guard let caller = state.callers[id], !state.left.contains(id) else { return .none }
            state.left.insert(id)
            guard state.callers.count > 1 else {
                state.isClosed = true
                return .end(state.request)
            }
            state.callers[id] = nil
            return .tell(caller, state.plugins)
        }
        switch step {
        case .none: break
        case .end(let request): request?.cancel()
        case .tell(let caller, let plugins):
            let failure = Outcome.failure(ClientError(.explicitlyCancelled))
            caller.completion(plugins?.processed(failure) ?? failure)
        }
    }

    func finish(_ outcome: Outcome) {
        let callers = state.withLock { state in
            defer { state.callers = [:] }
            state.isClosed = true
            state.request = nil
            return state.callers.sorted { $0.key < $1.key }.map(\.value)
        }
        for caller in callers {
            if case .success(let response) = outcome {
                caller.progress?(ProgressResponse(response: response))
            }
            caller.completion(outcome)
        }
    }

    /// Starts reporting progress as soon as a caller wants it.
    private func observe(_ request: any ClientRequest) {
        let isWanted = state.withLock { state in
            guard !state.isObserved, state.callers.values.contains(where: { $0.progress != nil })
            else { return false }
            state.isObserved = true
            return true
        }
        guard isWanted else { return }
        let handler: @Sendable (TransferProgress) -> Void = { [weak self] progress in
            self?.tell(ProgressResponse(transfer: progress))
        }
        if request is UploadRequest {
            request.uploadProgress(handler: handler)
        } else {
            request.downloadProgress(handler: handler)
        }
    }

    private func tell(_ progress: ProgressResponse) {
        let callers = state.withLock { Array($0.callers.values) }
        for caller in callers { caller.progress?(progress) }
    }
}

struct TargetRequest {
    private let request: any ClientRequest
    private let plugins: PluginInterceptor
    /// Registers a closure that is called with the outcome.
    private let whenOver: (@escaping Finish) -> Void

    private typealias Finish = @Sendable (InflightRequest.Outcome) -> Void

    init(
        session: Session, target: any TargetType,
        build: @escaping Session.RequestBuilder, plugins: [any PluginType]
    ) {
        switch target.task.transfer {
        case .data:
            let data = session.request(building: build)
            (request, whenOver) = (data, Self.end(of: data))
        case .upload:
            let upload = session.upload(building: build)
            (request, whenOver) = (upload, Self.end(of: upload))
        case .download(let destination):
            let download = session.download(to: destination, building: build)
            (request, whenOver) = (download, Self.end(of: download))
        }
        let interceptor = PluginInterceptor(plugins, target: target, request: request)
        request.interceptor(interceptor)
        self.plugins = interceptor
        let codes = target.validationType.statusCodes
        if !codes.isEmpty { request.validate(statusCode: codes) }
    }

    func stub(_ sample: SampleResponse, after delay: Duration, clock: any Clock<Duration>) {
        request.transport(StubTransport(sample: sample, delay: delay, clock: clock))
    }

    /// Starts it; at its end, calls `ending` and then tells the in-flight request.
    func start(_ inflight: InflightRequest, ending: @escaping @Sendable () -> Void) {
        inflight.launch(request, plugins)
        whenOver { [plugins] outcome in
            let processed = plugins.finish(outcome)
            ending()
            inflight.finish(processed)
        }
        request.resume()
    }

    private static func end(of request: some DataCollectingRequest) -> (@escaping Finish) -> Void {
        { finish in
            request.response { finish(outcome($0.result, TargetResponse($0))) }
        }
    }

    private static func end(of request: DownloadRequest) -> (@escaping Finish) -> Void {
        { finish in
            request.response { finish(outcome($0.result, TargetResponse($0))) }
        }
    }

    private static func outcome<Value>(
        _ result: Result<Value, ClientError>, _ response: TargetResponse?
    ) -> InflightRequest.Outcome {
        switch result {
        case .failure(let error): return .failure(error.carrying(response))
        case .success:
            guard let response else { return .failure(ClientError(.network(.closedEarly))) }
            return .success(response)
        }
    }
}
