public import ProxydEventLoops
internal import ProxydHTTPModel

/// A plain connection to a server that stands but has not been used: made before CONNECT was
/// answered, and waiting for what the client turns out to speak. Confined to its loop.
///
/// ```
/// waiting ──take──▶ taken        waiting ──server speaks, ends or fails──▶ spoken or lost
///    └──discard──▶ lost
/// ```
public final class PreparedConnection: DuplexStreamDelegate {
    private enum State {
        case waiting(EstablishedConnection)
        case taken
        case lost
    }

    private var state: State
    /// Told once when the server sends octets before anybody asked: no TLS or HTTP/1 server does.
    public var onServerSpoke: ((Span<UInt8>) -> Void)?
    /// Told once when the server ends or breaks the connection.
    public var onLost: (() -> Void)?

    /// Watches over a connection.
    public init(_ established: EstablishedConnection) {
        state = .waiting(established)
        established.stream.delegate = self
    }

    /// Hands the connection over; nil where it was taken before or is gone. The taker sets the
    /// stream's delegate.
    public func take() -> EstablishedConnection? {
        guard case .waiting(let established) = state else { return nil }
        leave(.taken)
        return established
    }

    /// Closes the connection if nobody has taken it.
    public func discard() {
        guard case .waiting(let established) = state else { return }
        leave(.lost)
        established.stream.close()
    }

    /// A server that spoke before it was asked: the watcher takes the connection in this call.
    public func stream(_ stream: any DuplexStream, didReceive octets: Span<UInt8>) {
        if let onServerSpoke { onServerSpoke(octets) } else { lose() }
    }

    /// The server ended the connection.
    public func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { lose() }

    /// Nothing is ever queued here.
    public func streamDidDrain(_ stream: any DuplexStream) {}

    /// The connection broke.
    public func stream(_ stream: any DuplexStream, didFail error: StreamError) { lose() }

    private func lose() {
        guard case .waiting(let established) = state else { return }
        let tell = onLost
        leave(.lost)
        established.stream.abort()
        tell?()
    }

    private func leave(_ next: State) {
        state = next
        onServerSpoke = nil
        onLost = nil
    }
}
