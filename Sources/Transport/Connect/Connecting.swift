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

    /// Why a server must not be asked for through an upstream proxy: its address is written in its
    /// name, and the proxy must not connect to it; nil if nothing is against it.
    func refusal(of target: ConnectTarget) -> ExchangeFailure?

    /// Replaces the limits and the trusted authorities; they apply to new connections.
    func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext)
}

extension Connecting {
    /// Returns nil: nothing is against any server.
    public func refusal(of target: ConnectTarget) -> ExchangeFailure? { nil }
}

/// An operation in progress that can be cancelled.
public protocol Cancellable: AnyObject {
    /// Cancels the operation; nothing is called back after this.
    func cancel()
}
