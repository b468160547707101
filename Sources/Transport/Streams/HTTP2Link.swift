public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire

/// An HTTP/2 connection over a byte stream: passes received bytes to the state machine, reports its
/// events to the owner, and sends its output. Confined to its loop.
///
/// What the owner sends is written when the loop's dispatch ends, in the scheduling order of the
/// streams, and as far as the peer reads. Reading stops only while the peer does not read, because
/// WINDOW_UPDATE frames arrive on the same connection as everything else.
public final class HTTP2Link: DuplexStreamDelegate, DispatchEndObserver {
    /// The approximate number of bytes passed to the stream at a time.
    private static let turnByteCount = 64 << 10

    /// The byte stream that carries the connection.
    public let stream: any DuplexStream
    public let loop: EventLoop
    // Exclusive: its members know only bytes, streams and logs; none calls the owner or the stream.
    @exclusivity(unchecked) private var machine: HTTP2Connection
    /// Receives the events; retained until the connection is closed.
    public var owner: (any HTTP2LinkOwner)?
    private var isFlushAwaited = false
    /// Whether nothing is sent yet, because the settings may still change.
    private var isOutputDelayed: Bool
    private var isReadingPaused = false
    private var isClosed = false

    /// Creates one side of a connection over a stream. The delegate of the stream forwards its
    /// calls here; it may be this object itself.
    public init(
        _ role: HTTP2Connection.Role, over stream: any DuplexStream,
        options: HTTP2Connection.Options
    ) {
        self.stream = stream
        loop = stream.loop
        isOutputDelayed = options.isAnnouncedLate
        machine = HTTP2Connection(role, options: options, now: loop.now)
        wantsFlush()
    }

    // MARK: Called by the owner

    /// How many more requests may be sent now.
    public var room: Int { isClosed ? 0 : machine.room }
    /// Whether either side has sent GOAWAY.
    public var isGoingAway: Bool { machine.isGoingAway }
    public var isInsideFrame: Bool { machine.isInsideFrame }
    var hasPeerSettings: Bool { machine.hasPeerSettings }
    public var peerSettings: HTTP2Settings { machine.peerSettings }

    /// The frames of an open stream; nil if none are kept.
    public func frameLog(of id: StreamID) -> FrameLog? { machine.frameLog(of: id) }

    public func isSending(_ id: StreamID) -> Bool { !isClosed && machine.isSending(id) }

    /// The number of body bytes that wait, over all streams; nil if nothing is left to send.
    public var unsentByteCount: Int? { isClosed ? nil : machine.unsentByteCount }

    /// The facts about the connection as a whole; frames only since the last call.
    public func takeFacts() -> HTTP2ConnectionFacts { machine.takeFacts() }

    /// Whether extended CONNECT has been offered to the peer.
    public var offersExtendedConnect: Bool { machine.offersExtendedConnect }

    /// Offers extended CONNECT to the peer from now on (RFC 8441 §3).
    public func offerExtendedConnect() {
        wantsFlush()
        machine.offerExtendedConnect()
    }

    /// Sends the settings, which were delayed because of `isAnnouncedLate`, and everything else.
    /// The first response has the same effect.
    public func release() {
        isOutputDelayed = false
        wantsFlush()
    }

    /// Sends a request on a new stream; nil if there is no room. Its frames are recorded in `log`.
    public func send(
        _ request: borrowing ForwardedRequest, log: FrameLog? = nil
    ) -> (id: StreamID, sent: (bytes: [UInt8], notes: ForwardingNotes)?)? {
        wantsFlush()
        return machine.send(request, log: log)
    }

    public func send(informational response: borrowing ForwardedResponse, on id: StreamID) {
        release()
        machine.send(informational: response, on: id)
    }

    public func send(_ response: borrowing ForwardedResponse, on id: StreamID) {
        release()
        machine.send(response, on: id)
    }

    public func send(body bytes: Span<UInt8>, on id: StreamID) {
        machine.send(body: bytes, on: id)
        wantsFlush()
    }

    /// Ends our direction of a stream. With a code, the stream is then reset, because the rest of
    /// what the peer sends is not wanted.
    public func end(
        _ id: StreamID, trailers: HeaderFields?, thenReset code: HTTP2ErrorCode? = nil
    ) {
        machine.end(id, trailers: trailers, thenReset: code)
        wantsFlush()
    }

    /// Resets a stream immediately.
    public func reset(_ id: StreamID, _ code: HTTP2ErrorCode) {
        wantsFlush()
        machine.reset(id, code)
    }

    /// Sends the priority of the response on a stream (RFC 9218 §7.1).
    public func send(priority value: [UInt8], of id: StreamID) {
        wantsFlush()
        machine.send(priority: value, of: id)
    }

    /// Whether too many bytes wait on a stream; the owner is notified once it is no longer so.
    public func isCongested(_ id: StreamID) -> Bool { machine.isCongested(id) }

    public func waitingByteCount(of id: StreamID) -> Int { machine.waitingByteCount(of: id) }

    /// Stops or resumes sending WINDOW_UPDATE for a stream.
    public func setReceivingPaused(_ id: StreamID, _ isPaused: Bool) {
        wantsFlush()
        machine.setReceivingPaused(id, isPaused)
    }

    /// Sends GOAWAY; running streams continue.
    public func drain() {
        wantsFlush()
        machine.beginDrain()
    }

    /// Ends the connection cleanly, with a code; the owner is not called after this.
    public func close(_ code: HTTP2ErrorCode = .noError, _ message: String = "") {
        guard !isClosed else { return }
        machine.end(code, message)
        leave { stream in
            stream.write(machine.takeOutput(.max))
            stream.close()
        }
    }

    /// Closes the connection immediately.
    public func abort() { leave { $0.abort() } }

    private func leave(_ end: (any DuplexStream) -> Void) {
        guard !isClosed else { return }
        isClosed = true
        owner = nil
        end(stream)
    }

    // MARK: Output

    /// Called before anything is queued: it is sent when the dispatch ends.
    private func wantsFlush() {
        machine.now = loop.now
        guard !isFlushAwaited, !isClosed else { return }
        isFlushAwaited = true
        loop.notifyAtDispatchEnd(self)
    }

    public func dispatchDidEnd() {
        isFlushAwaited = false
        flush()
    }

    private func flush() {
        while !isClosed, !isOutputDelayed, !stream.isCongested {
            let bytes = machine.takeOutput(HTTP2Link.turnByteCount)
            guard !bytes.isEmpty else { break }
            stream.write(bytes)
        }
        setReadingPaused(stream.isCongested)
        for id in machine.takeDrained() { owner?.link(self, didDrain: id) }
        owner?.linkDidFlush(self)
    }

    private func setReadingPaused(_ isPaused: Bool) {
        guard isPaused != isReadingPaused, !isClosed else { return }
        isReadingPaused = isPaused
        if isPaused { stream.pauseReading() } else { stream.resumeReading() }
    }

    // MARK: DuplexStreamDelegate

    public func stream(_ stream: any DuplexStream, didReceive bytes: Span<UInt8>) {
        var offset = 0
        let now = loop.now
        while !isClosed {
            do throws(HTTP2Error) {
                let event = try machine.receive(bytes, from: &offset, now: now)
                if case .needsMoreInput = event { break }
                owner?.link(self, event, input: bytes)
            } catch {
                let owner = owner
                leave { stream in
                    stream.write(machine.takeOutput(.max))
                    stream.close()
                }
                owner?.link(self, didFail: .broken(error))
                return
            }
        }
        wantsFlush()
    }

    /// The peer has ended its side: HTTP/2 has no half-closed connections.
    public func streamDidReachEnd(_ stream: any DuplexStream, isClean: Bool) {
        fail(.ended(isClean: isClean))
    }

    /// The peer reads again.
    public func streamDidDrain(_ stream: any DuplexStream) { flush() }

    public func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        fail(.lost(error))
    }

    private func fail(_ failure: HTTP2LinkFailure) {
        let owner = owner
        leave { $0.close() }
        owner?.link(self, didFail: failure)
    }
}

/// The owner of an HTTP/2 connection. Called on its loop.
public protocol HTTP2LinkOwner: AnyObject {
    /// Reports an event. Body ranges refer to `input`, which is valid only during the call.
    func link(_ link: HTTP2Link, _ event: HTTP2Event, input: Span<UInt8>)
    func link(_ link: HTTP2Link, didDrain id: StreamID)
    /// Everything that flow control and the byte stream allow has been sent.
    func linkDidFlush(_ link: HTTP2Link)
    /// The connection is closed; this is the last call.
    func link(_ link: HTTP2Link, didFail failure: HTTP2LinkFailure)
}

extension HTTP2LinkOwner {
    public func linkDidFlush(_ link: HTTP2Link) {}
}

/// Why an HTTP/2 connection ended.
public enum HTTP2LinkFailure: Sendable {
    /// The peer ended it.
    case ended(isClean: Bool)
    /// The byte stream broke.
    case lost(StreamError)
    /// The peer broke a rule of HTTP/2.
    case broken(HTTP2Error)
}
