public import ProxydEventLoops
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A plain connection to a server that is established but unused: made before CONNECT was answered,
/// it waits until the client's protocol is known. Confined to its loop.
///
/// ```
/// waiting ──take──▶ taken        waiting ──server ends, fails or speaks unexpectedly──▶ lost
///    └──discard──▶ lost
/// ```
/// An HTTP/2 server sends its settings first. That reveals nothing about the client's protocol, so
/// they are kept for the next owner of the connection.
public final class PreparedConnection: DuplexStreamDelegate {
    private enum State {
        case waiting(EstablishedConnection)
        case taken
        case lost
    }

    /// The maximum number of bytes kept of what the server sends first.
    private static let earlyByteCountMax = 16 << 10

    private var state: State
    private var early: [UInt8] = []
    /// Called once when the server sends bytes before any request: no TLS or HTTP/1 server does
    /// that.
    public var onServerSpoke: ((Span<UInt8>) -> Void)?
    /// Called once when the server ends or breaks the connection, or sends bytes that no one takes.
    public var onLost: (() -> Void)?

    /// Starts to watch a connection.
    public init(_ established: EstablishedConnection) {
        state = .waiting(established)
        early = established.early
        established.stream.delegate = self
    }

    /// Transfers the connection; nil if it was already transferred or is closed. The caller sets
    /// the stream's delegate.
    public func take() -> EstablishedConnection? {
        guard case .waiting(var established) = state else { return nil }
        leave(.taken)
        established.early = early
        return established
    }

    /// Whether the server's first bytes came with the answer of an upstream proxy, and are not the
    /// settings of an HTTP/2 server.
    public var hasServerSpoken: Bool {
        let early = early
        return !early.isEmpty && !HTTP2Connection.isServerPreface(early.span)
    }

    /// Closes the connection if no one has taken it.
    public func discard() {
        guard case .waiting(let established) = state else { return }
        leave(.lost)
        established.stream.close()
    }

    /// The server sent bytes before any request: the handler must take the connection during this
    /// call.
    public func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        if !early.isEmpty || HTTP2Connection.isServerPreface(bytes) {
            bytes.withUnsafeBufferPointer { early.append(contentsOf: $0) }
            if early.count > Self.earlyByteCountMax { lose() }
        } else if let onServerSpoke {
            onServerSpoke(bytes)
        } else {
            lose()
        }
    }

    /// The server ended the connection.
    public func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) { lose() }

    /// Does nothing: this connection never has queued bytes.
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
