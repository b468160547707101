internal import Foundation
internal import HTTPModel

/// A target's request that is about to start.
struct TargetLaunch {
    private let request: any ClientRequest
    private let plugins: PluginInterceptor

    init(
        session: Session, target: any TargetType,
        build: @escaping @Sendable () async throws -> HTTPRequest, plugins: [any PluginType]
    ) {
        switch target.task.transfer {
        case .data: request = DataRequest(RequestCore(session: session.core, build: build))
        case .upload: request = UploadRequest(RequestCore(session: session.core, build: build))
        case .download(let destination):
            let file = DownloadFile(destination: destination, resuming: nil)
            let core = RequestCore(session: session.core, consumer: file, build: build)
            request = DownloadRequest(core, file: file)
        }
        let interceptor = PluginInterceptor(plugins, target: target, core: request.core)
        request.interceptor(interceptor)
        self.plugins = interceptor
        let codes = target.validationType.statusCodes
        if !codes.isEmpty { request.validate(statusCode: codes) }
    }

    /// Has a sample answer in place of the network.
    func stub(_ sample: SampleResponse, after delay: Duration, clock: any Clock<Duration>) {
        let transport = StubTransport(sample: sample, delay: delay, clock: clock)
        request.core.configure { $0.transport = transport }
    }

    /// Starts it; at its end, calls `ending` and then tells the flight.
    func start(_ flight: TargetFlight, ending: @escaping @Sendable () -> Void) {
        flight.launch(request, plugins)
        let finish: @Sendable (TargetFlight.Outcome) -> Void = { [plugins] outcome in
            let processed = plugins.finish(outcome)
            ending()
            flight.finish(processed)
        }
        switch request {
        case let request as DownloadRequest:
            request.response { response in
                finish(Self.outcome(response.result, TargetResponse(response)))
            }
        case let request as any DataCollectingRequest:
            request.response { response in
                finish(Self.outcome(response.result, TargetResponse(response)))
            }
        default: break
        }
        request.resume()
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
