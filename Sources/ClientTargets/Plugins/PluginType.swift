internal import ProxydHTTPModel
public import ClientLib

/// Takes part in every request of a provider. Plugins are called in the provider's order; each gets
/// the result of the one before it.
public protocol PluginType: Sendable {
    /// The request to send instead of `request`. Called for each attempt.
    /// - Throws: why it cannot be sent.
    func prepare(_ request: HTTPRequest, target: any TargetType) async throws -> HTTPRequest
    /// An attempt starts: the first, and each retry. Redirects and answers to challenges belong to
    /// the attempt that caused them.
    func willSend(_ request: PluginRequest, target: any TargetType)
    /// The request has ended. `attemptCount` is the number of calls of `willSend`; 0 if the request
    /// failed or was cancelled before.
    func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType, attemptCount: Int)
    /// The request has ended.
    func didReceive(_ result: Result<TargetResponse, ClientError>, target: any TargetType)
    /// The result that the caller gets instead of `result`.
    func process(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) -> Result<TargetResponse, ClientError>
}

extension PluginType {
    /// Leaves the request unchanged.
    public func prepare(
        _ request: HTTPRequest, target: any TargetType
    ) async throws -> HTTPRequest { request }

    /// Does nothing.
    public func willSend(_ request: PluginRequest, target: any TargetType) {}

    /// Calls the simpler form.
    public func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType, attemptCount: Int
    ) {
        didReceive(result, target: target)
    }

    /// Does nothing.
    public func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) {}

    /// Leaves the result unchanged.
    public func process(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) -> Result<TargetResponse, ClientError> { result }
}
