internal import ProxydHTTPModel
public import ClientLib

/// Takes part in every request of a provider. Plugins are asked in the order in which the provider
/// has them; each gets what the one before it made.
public protocol PluginType: Sendable {
    /// The request to send in place of `request`. Called for each attempt.
    /// - Throws: why it cannot be sent.
    func prepare(_ request: HTTPRequest, target: any TargetType) async throws -> HTTPRequest
    /// An attempt begins: the first, and each retry. Redirects and answers to challenges belong to
    /// the attempt that led to them.
    func willSend(_ request: PluginRequest, target: any TargetType)
    /// The request is over. `attemptCount` is how often `willSend` was called; 0 where the request
    /// failed or was cancelled before.
    func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType, attemptCount: Int)
    /// The request is over.
    func didReceive(_ result: Result<TargetResponse, ClientError>, target: any TargetType)
    /// What the caller gets in place of `result`.
    func process(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) -> Result<TargetResponse, ClientError>
}

extension PluginType {
    /// Leaves the request as it is.
    public func prepare(
        _ request: HTTPRequest, target: any TargetType
    ) async throws -> HTTPRequest { request }

    /// Does nothing.
    public func willSend(_ request: PluginRequest, target: any TargetType) {}

    /// Tells the simpler form.
    public func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType, attemptCount: Int
    ) {
        didReceive(result, target: target)
    }

    /// Does nothing.
    public func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) {}

    /// Leaves the result as it is.
    public func process(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType
    ) -> Result<TargetResponse, ClientError> { result }
}
