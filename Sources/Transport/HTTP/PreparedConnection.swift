public import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A plain connection to a server that stands but has not been used: made before CONNECT was
/// answered, and waiting for what the client turns out to speak. Confined to its loop.
///
/// ```
/// waiting ──take──▶ taken        waiting ──server speaks, ends or fails──▶ spoken or lost
///    └──discard──▶ lost
/// ```
/// A server of HTTP/2 announces its settings before anyone asks. That says nothing of the client,
/// so it is kept for who takes the connection.
public final class PreparedConnection: DuplexStreamDelegate {
    private enum State {
        case waiting(EstablishedConnection)
        case taken
        case lost
    }

    /// The most that is kept of what a server announces.
    private static let earlyByteCountMax = 16 << 10

    private var state: State
    private var early: [UInt8] = []
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
        guard case .waiting(var established) = state else { return nil }
        leave(.taken)
        established.early = early
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
        if !early.isEmpty || HTTP2Connection.isServerPreface(octets) {
            octets.withUnsafeBufferPointer { early.append(contentsOf: $0) }
            if early.count > Self.earlyByteCountMax { lose() }
        } else if let onServerSpoke {
            onServerSpoke(octets)
        } else {
            lose()
        }
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
