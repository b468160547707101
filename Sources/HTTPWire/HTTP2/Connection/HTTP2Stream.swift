internal import ProxydHTTPModel

/// What a connection knows of one of its streams (RFC 9113 §5.1). Belongs to one connection.
///
/// ```
/// receiving: head ──head──▶ body ──END_STREAM──▶ ended
/// sending:   head ──head──▶ body ──END_STREAM──▶ ended        both ended, or a reset: closed
/// ```
final class HTTP2Stream {
    /// How far one direction is.
    enum Direction {
        case head
        case body
        case ended
    }

    /// Its number.
    let id: StreamID
    /// The method of its request.
    var method: HTTPMethod
    var receiving = Direction.head
    var sending = Direction.head
    /// How many bytes it may send before the peer gives more; SETTINGS may make it negative.
    var sendWindow: Int
    /// How many bytes the peer may send.
    var receiveWindow: Int
    /// Bytes that were taken, and not given back to the peer's window.
    var uncreditedByteCount = 0
    /// Bytes that came while it was paused.
    var heldByteCount = 0
    /// Those of them that are held back from the connection's window too.
    var connectionDebt = 0
    /// Whether what it takes waits, so that nothing is given back.
    var isReceivingPaused = false
    /// What Content-Length says of the body that comes; nil where it says nothing, or need not be
    /// met.
    var announcedByteCount: UInt64?
    /// Bytes of the body that have come.
    var receivedByteCount: UInt64 = 0
    /// Whether it carries bytes and no messages: CONNECT was answered by 2xx. Only DATA is sent on
    /// it then (RFC 9113 §8.5).
    private(set) var isTunnel = false
    /// Interim responses that have come.
    var informationalCount = 0
    /// Whether what comes is passed over: its message broke and waits to be answered, or was
    /// answered before it was complete.
    var isPassedOver = false
    /// How much of it was.
    var thrownAwayByteCount = 0

    /// Bytes of the body that wait for a window, or for their turn.
    private(set) var waiting: [UInt8] = []
    private var waitingStart = 0
    /// What ends the direction once nothing waits; nil while more may come.
    var ending: Ending?
    /// With what it is reset once its direction has ended; nil where the peer may go on.
    var finalCode: HTTP2ErrorCode?
    /// What is kept of its frames; nil where nothing is.
    var log: FrameLog?
    /// Whether it waits in the line of those that may send.
    var isInLine = false
    /// Whether its owner was told that much waits, and hears when little does.
    var isCongested = false

    /// How a direction ends.
    enum Ending {
        case plain
        case trailers(HeaderFields)
    }

    init(id: StreamID, method: HTTPMethod, sendWindow: Int, receiveWindow: Int) {
        self.id = id
        self.method = method
        self.sendWindow = sendWindow
        self.receiveWindow = receiveWindow
    }

    /// Whether both directions have ended.
    var isClosed: Bool { receiving == .ended && sending == .ended }

    var waitingByteCount: Int { waiting.count &- waitingStart }

    /// From now on it carries bytes, as many as come.
    func becomeTunnel() {
        isTunnel = true
        announcedByteCount = nil
    }

    /// Adds bytes to those that wait.
    func wait(_ octets: Span<UInt8>) {
        octets.withUnsafeBufferPointer { waiting.append(contentsOf: $0) }
    }

    /// Hands out the first of those that wait; at most as many as there are.
    func take(_ count: Int, _ use: (Span<UInt8>) -> Void) {
        let count = min(count, waitingByteCount)
        use(waiting.span.extracting(waitingStart..<(waitingStart &+ count)))
        waitingStart &+= count
        if waitingStart == waiting.count {
            waiting = []
            waitingStart = 0
        } else if waitingStart >= 65_536 {
            waiting.removeFirst(waitingStart)
            waitingStart = 0
        }
    }

    /// Forgets what waits.
    func dropWaiting() {
        waiting = []
        waitingStart = 0
        ending = nil
    }
}
