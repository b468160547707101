internal import ProxydHTTPModel
public import ClientLib

/// Logs requests and responses without secrets.
public struct NetworkLoggerPlugin: PluginType {
    /// What is logged, and in which format.
    public let configuration: NetworkLoggerConfiguration

    /// Creates a logger.
    public init(configuration: NetworkLoggerConfiguration = NetworkLoggerConfiguration()) {
        self.configuration = configuration
    }

    /// Logs the request.
    public func willSend(_ request: PluginRequest, target: any TargetType) {
        let options = configuration.logOptions
        guard !options.contains(.oneLine) || options.contains(.formatRequestAscURL) else { return }
        let lines = NetworkLogLines(configuration, target: target)
        configuration.output(target, lines.request(request))
    }

    /// Logs the response or the error.
    public func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) {
        let lines = NetworkLogLines(configuration, target: target)
        let entries =
            configuration.logOptions.contains(.oneLine)
            ? [lines.oneLine(result)] : lines.response(result)
        configuration.output(target, entries)
    }
}
