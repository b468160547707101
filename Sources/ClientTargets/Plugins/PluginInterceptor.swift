internal import ProxydHTTPModel
internal import Synchronization
internal import ClientLib

/// Calls the plugins for each attempt of a request, after all other adapters.
final class PluginInterceptor: RequestInterceptor {
    private let plugins: [any PluginType]
    private let target: any TargetType
    private let count = Atomic<Int>(0)
    /// Weak because the request keeps its interceptors.
    private weak let asked: (any ClientRequest)?

    init(_ plugins: [any PluginType], target: any TargetType, request: any ClientRequest) {
        self.plugins = plugins
        self.target = target
        asked = request
    }

    /// How often plugins were told that an attempt starts.
    var attemptCount: Int { count.load(ordering: .relaxed) }

    func adapt(
        _ request: HTTPRequest, using state: RequestAdapterState
    ) async throws -> HTTPRequest {
        var request = request
        for plugin in plugins { request = try await plugin.prepare(request, target: target) }
        try Task.checkCancellation()
        guard let asked else { return request }
        count.add(1, ordering: .relaxed)
        let announced = PluginRequest(request, attempt: state.retryCount + 1, of: asked)
        for plugin in plugins { plugin.willSend(announced, target: target) }
        return request
    }

    /// Tells the plugins that the request has ended, and returns the result that they make of it.
    func finish(
        _ result: Result<TargetResponse, ClientError>
    ) -> Result<TargetResponse, ClientError> {
        for plugin in plugins {
            plugin.didReceive(result, target: target, attemptCount: attemptCount)
        }
        return processed(result)
    }

    /// The result after all plugins.
    func processed(
        _ result: Result<TargetResponse, ClientError>
    ) -> Result<TargetResponse, ClientError> {
        plugins.reduce(result) { $1.process($0, target: target) }
    }
}
