internal import ProxydHTTPModel
public import ClientLib

/// Writes down what is sent and what comes, secrets left out.
public struct NetworkLoggerPlugin: PluginType {
    /// What is written, and how.
    public let configuration: NetworkLoggerConfiguration

    /// A logger.
    public init(configuration: NetworkLoggerConfiguration = NetworkLoggerConfiguration()) {
        self.configuration = configuration
    }

    /// Writes the request down.
    public func willSend(_ request: PluginRequest, target: any TargetType) {
        let options = configuration.logOptions
        guard !options.contains(.oneLine) || options.contains(.formatRequestAscURL) else { return }
        let lines = NetworkLogLines(configuration, target: target)
        configuration.output(target, lines.request(request))
    }

    /// Writes down what came of it.
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
