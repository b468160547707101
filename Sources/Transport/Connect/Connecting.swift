public import ProxydHTTPModel
public import ProxydTLS

/// Makes connections to servers. A seam: tests put scripted connections in its place.
public protocol Connecting: AnyObject {
    /// Makes a connection, secured where the target asks for it. `completion` is called once, on
    /// the loop and never from within this call, unless the attempt is cancelled first.
    func connect(
        to target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable

    /// Secures a plain connection as a target asks.
    func secure(
        _ established: EstablishedConnection, for target: ConnectTarget, deadlineNs: Int64,
        completion: @escaping (Result<EstablishedConnection, ExchangeFailure>) -> Void
    ) -> any Cancellable

    /// Puts other limits and another idea of whom to trust in force for what comes from now on.
    func reconfigure(_ limits: ConnectLimits, clientContext: TLSClientContext)
}

/// Something under way that can be given up.
public protocol Cancellable: AnyObject {
    /// Gives it up; nothing is called back after this.
    func cancel()
}
