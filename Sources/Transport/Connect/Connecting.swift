public import ProxydHTTPModel
public import ProxydTLS

/// Makes connections to servers. A protocol, so that tests can replace it with scripted
/// connections.
public protocol Connecting: AnyObject {
    /// Makes a connection, secured if the target asks for it. `completion` is called once, on the
    /// loop and never from within this call, unless the attempt is cancelled first.
    func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable

    /// Secures a plain connection as a target requires.
    func secure(
        _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable

    /// Why a server must not be requested from an upstream proxy: its name is an IP address that is
    /// not allowed; nil if the server may be requested.
    func refusal(of target: ConnectTarget) -> ExchangeFailure?

    /// Replaces the limits and the trusted authorities; they apply to new connections.
    func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext)
}

extension Connecting {
    /// Returns nil: every server is allowed.
    public func refusal(of target: ConnectTarget) -> ExchangeFailure? { nil }
}

/// An operation in progress that can be cancelled.
public protocol Cancellable: AnyObject {
    /// Cancels the operation; nothing is called back after this.
    func cancel()
}
