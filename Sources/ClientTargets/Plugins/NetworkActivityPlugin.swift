public import ClientLib

/// Reports when requests start and end: each that started ends exactly once, however often it is
/// retried.
public struct NetworkActivityPlugin: PluginType {
    /// The change that is reported.
    public enum Change: Sendable, Hashable {
        /// A request started.
        case began
        /// A request ended.
        case ended
    }

    /// Called for each change.
    public typealias ActivityClosure =
        @Sendable (_ change: Change, _ target: any TargetType) -> Void
    private let activity: ActivityClosure

    /// Creates a plugin that calls `networkActivityClosure`.
    public init(networkActivityClosure: @escaping ActivityClosure) {
        activity = networkActivityClosure
    }

    /// Reports that a request started.
    public func willSend(_ request: PluginRequest, target: any TargetType) {
        if request.attempt == 1 { activity(.began, target) }
    }

    /// Reports that a request ended.
    public func didReceive(
        _ result: Result<TargetResponse, ClientError>, target: any TargetType, attemptCount: Int
    ) {
        if attemptCount > 0 { activity(.ended, target) }
    }
}
