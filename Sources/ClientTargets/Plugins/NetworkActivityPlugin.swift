public import ClientLib

/// Tells when requests begin and end: each that began ends once, however often it is sent again.
public struct NetworkActivityPlugin: PluginType {
    /// What changed.
    public enum Change: Sendable, Hashable {
        /// A request began.
        case began
        /// A request ended.
        case ended
    }

    /// Told of changes.
    public typealias ActivityClosure =
        @Sendable (_ change: Change, _ target: any TargetType) -> Void
    private let activity: ActivityClosure

    /// A plugin that tells `networkActivityClosure`.
    public init(networkActivityClosure: @escaping ActivityClosure) {
        activity = networkActivityClosure
    }

    /// Tells that a request began.
    public func willSend(_ request: PluginRequest, target: any TargetType) {
        if request.attempt == 1 { activity(.began, target) }
    }

    /// Tells that a request ended.
    public func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType, attemptCount: Int
    ) {
        if attemptCount > 0 { activity(.ended, target) }
    }
}
