internal import Foundation
internal import ProxydHTTPModel
internal import ClientLib

/// A target's request that is about to start.
struct TargetLaunch {
    private let request: any ClientRequest
    private let plugins: PluginInterceptor
    /// Has someone told of the outcome.
    private let whenOver: (@escaping Finish) -> Void

    private typealias Finish = @Sendable (TargetFlight.Outcome) -> Void

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

    /// Has a sample answer in place of the network.
    func stub(_ sample: SampleResponse, after delay: Duration, clock: any Clock<Duration>) {
        request.transport(StubTransport(sample: sample, delay: delay, clock: clock))
    }

    /// Starts it; at its end, calls `ending` and then tells the flight.
    func start(_ flight: TargetFlight, ending: @escaping @Sendable () -> Void) {
        flight.launch(request, plugins)
        whenOver { [plugins] outcome in
            let processed = plugins.finish(outcome)
            ending()
            flight.finish(processed)
        }
        request.resume()
    }

    private static func end(
        of request: some DataCollectingRequest
    ) -> (@escaping Finish) -> Void {
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
    ) -> TargetFlight.Outcome {
        switch result {
        case .failure(let error): return .failure(error.carrying(response))
        case .success:
            guard let response else { return .failure(ClientError(.network(.closedEarly))) }
            return .success(response)
        }
    }
}
