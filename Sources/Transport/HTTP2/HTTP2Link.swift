public import ProxydEventLoops
public import ProxydHTTPModel
public import ProxydHTTPWire

/// A connection of HTTP/2 over a stream: gives what comes to the machine, tells its owner what
/// happened, and sends what the machine has to say. Confined to its loop.
///
/// What the owner sends is written when the loop's dispatch ends, in the streams' turns, and as far
/// as the peer reads. Reading stops only where the peer does not read: what would open a stream's
/// window comes the same way as everything else.
public final class HTTP2Link: DuplexStreamDelegate, DispatchEndObserver {
    /// About as many bytes are handed to the stream at a time.
    private static let turnByteCount = 64 << 10

    /// What carries the connection.
    public let stream: any DuplexStream
    /// The loop of that.
    public let loop: EventLoop
    private var machine: HTTP2Connection
    /// Who is told; held until the connection is closed.
    public var owner: (any HTTP2LinkOwner)?
    private var isReceiving = false
    private var isFlushAwaited = false
    private var isReadingPaused = false
    private var isClosed = false

    /// A side of a connection over a stream. Whoever is the stream's delegate hands on what it is
    /// told; it may be this itself.
    public init(
        _ role: HTTP2Connection.Role, over stream: any DuplexStream,
        options: HTTP2Connection.Options
    ) {
        self.stream = stream
        loop = stream.loop
        machine = HTTP2Connection(role, options: options, now: loop.now)
        wantsFlush()
    }

    // MARK: What the owner does

    /// How many more requests may be sent now.
    public var room: Int { isClosed ? 0 : machine.room }
    /// How many streams are open.
    public var openStreamCount: Int { machine.openStreamCount }
    /// Whether either side has said good-bye.
    public var isGoingAway: Bool { machine.isGoingAway }
    /// Whether something has begun to come and is not complete.
    public var isInsideFrame: Bool { machine.isInsideFrame }
    /// Whether the peer's settings have come.
    var hasPeerSettings: Bool { machine.hasPeerSettings }
    /// What the peer announces.
    public var peerSettings: HTTP2Settings { machine.peerSettings }

    /// The frames of an open stream; nil where none are kept.
    public func frameLog(of id: StreamID) -> FrameLog? { machine.frameLog(of: id) }

    /// Whether anything of a stream is still to be sent.
    public func isSending(_ id: StreamID) -> Bool { !isClosed && machine.isSending(id) }

    /// How many bytes of bodies wait, over all streams; nil where nothing is still to be sent.
    public var unsentByteCount: Int? { isClosed ? nil : machine.unsentByteCount }

    /// What is known of the connection beside its streams; frames only since this was asked last.
    public func takeFacts() -> HTTP2ConnectionFacts { machine.takeFacts() }

    /// Whether the peer was told that extended CONNECT is taken here.
    public var offersExtendedConnect: Bool { machine.offersExtendedConnect }

    /// Tells the peer that extended CONNECT is taken from now on (RFC 8441 §3).
    public func offerExtendedConnect() {
        wantsFlush()
        machine.offerExtendedConnect()
    }

    /// Sends a request on a new stream; nil where there is no room. Its frames are noted in `log`.
    public func send(
        _ request: borrowing ForwardedRequest, log: FrameLog? = nil
    ) -> (id: StreamID, sent: (octets: [UInt8], notes: ForwardingNotes)?)? {
        wantsFlush()
        return machine.send(request, log: log)
    }

    /// Sends an interim response.
    public func send(informational response: borrowing ForwardedResponse, on id: StreamID) {
        wantsFlush()
        machine.send(informational: response, on: id)
    }

    /// Sends the head of the final response.
    public func send(_ response: borrowing ForwardedResponse, on id: StreamID) {
        wantsFlush()
        machine.send(response, on: id)
    }

    /// Sends a piece of a body.
    public func send(body octets: Span<UInt8>, on id: StreamID) {
        machine.send(body: octets, on: id)
        wantsFlush()
    }

    /// Ends our direction of a stream. With a code, what the peer still sends on it is not wanted,
    /// and it is told so.
    public func end(
        _ id: StreamID, trailers: HeaderFields?, thenReset code: HTTP2ErrorCode? = nil
    ) {
        machine.end(id, trailers: trailers, thenReset: code)
        wantsFlush()
    }

    /// Ends a stream at once.
    public func reset(_ id: StreamID, _ code: HTTP2ErrorCode) {
        wantsFlush()
        machine.reset(id, code)
    }

    /// Says how urgent the response is that a stream waits for (RFC 9218 §7.1).
    public func send(priority value: [UInt8], of id: StreamID) {
        wantsFlush()
        machine.send(priority: value, of: id)
    }

    /// Whether more waits on a stream than should; the owner is told when little does.
    public func isCongested(_ id: StreamID) -> Bool { machine.isCongested(id) }

    /// How much waits on a stream.
    public func waitingByteCount(of id: StreamID) -> Int { machine.waitingByteCount(of: id) }

    /// Holds back a stream's window, or gives it back.
    public func setReceivingPaused(_ id: StreamID, _ isPaused: Bool) {
        wantsFlush()
        machine.setReceivingPaused(id, isPaused)
    }

    /// Says good-bye: what runs goes on.
    public func drain() {
        wantsFlush()
        machine.beginDrain()
    }

    /// Ends the connection in good order, for a reason; the owner is told of nothing more.
    public func close(_ code: HTTP2ErrorCode = .noError, _ message: String = "") {
        guard !isClosed else { return }
        machine.end(code, message)
        leave { stream in
            stream.write(machine.takeOutput(.max))
            stream.close()
        }
    }

    /// Ends the connection at once.
    public func abort() { leave { $0.abort() } }

    private func leave(_ end: (any DuplexStream) -> Void) {
        guard !isClosed else { return }
        isClosed = true
        owner = nil
        end(stream)
    }

    // MARK: Output

    /// Before anything is said: it is sent when the dispatch ends.
    private func wantsFlush() {
        machine.now = loop.now
        guard !isFlushAwaited, !isClosed else { return }
        isFlushAwaited = true
        loop.notifyAtDispatchEnd(self)
    }

    /// Sends what waits.
    public func dispatchDidEnd() {
        isFlushAwaited = false
        flush()
    }

    private func flush() {
        while !isClosed, !stream.isCongested {
            let octets = machine.takeOutput(HTTP2Link.turnByteCount)
            guard !octets.isEmpty else { break }
            stream.write(octets)
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

    /// Bytes came.
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

    /// The stream broke.
    public func stream(_ stream: any DuplexStream, didFail error: StreamError) {
        fail(.lost(error))
    }

    private func fail(_ failure: HTTP2LinkFailure) {
        let owner = owner
        leave { $0.close() }
        owner?.link(self, didFail: failure)
    }
}

/// Whoever a connection of HTTP/2 belongs to. Called on its loop.
public protocol HTTP2LinkOwner: AnyObject {
    /// Something happened. Ranges of bodies are ranges of `input`, which lives only during the
    /// call.
    func link(_ link: HTTP2Link, _ event: HTTP2Event, input: Span<UInt8>)
    /// Little waits again on a stream that was congested.
    func link(_ link: HTTP2Link, didDrain id: StreamID)
    /// As much as windows and the peer's reading allow was sent.
    func linkDidFlush(_ link: HTTP2Link)
    /// The connection is closed: its last call.
    func link(_ link: HTTP2Link, didFail failure: HTTP2LinkFailure)
}

extension HTTP2LinkOwner {
    /// Who waits for nothing to be sent does not hear of it.
    public func linkDidFlush(_ link: HTTP2Link) {}
}

/// Why a connection of HTTP/2 is over.
public enum HTTP2LinkFailure: Sendable {
    /// The peer ended it.
    case ended(isClean: Bool)
    /// It broke.
    case lost(StreamError)
    /// The peer broke a rule of HTTP/2.
    case broken(HTTP2Error)
}
