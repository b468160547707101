internal import ProxydHTTPModel

/// The state of one stream of a connection (RFC 9113 §5.1). Belongs to a single connection.
///
/// ```
/// receiving: head ──head──▶ body ──END_STREAM──▶ ended
/// sending:   head ──head──▶ body ──END_STREAM──▶ ended        both ended, or a reset: closed
/// ```
final class HTTP2Stream {
    /// The progress of one direction.
    enum Direction {
        case head
        case body
        case ended
    }

    /// The stream identifier, unique on its connection.
    let id: StreamID
    /// When the stream was opened, in monotonic nanoseconds.
    let openedAt: Int64
    /// The method of the stream's request.
    var method: HTTPMethod
    var receiving = Direction.head
    var sending = Direction.head
    /// The number of bytes that may be sent before the peer enlarges the window; SETTINGS can make
    /// it negative.
    var sendWindow: Int
    /// The number of bytes that the peer may send.
    var receiveWindow: Int
    /// The number of bytes received for which the peer's window has not been enlarged yet.
    var uncreditedByteCount = 0
    /// The number of bytes received while the stream was paused.
    var heldByteCount = 0
    /// The part of `heldByteCount` that has not been returned to the connection's window either.
    var connectionDebt = 0
    /// Whether the reader is not ready, so that the window is not enlarged.
    var isReceivingPaused = false
    /// The length of the received body according to Content-Length; nil if there is none or if it
    /// need not match.
    var announcedByteCount: UInt64?
    /// The number of body bytes received so far.
    var receivedByteCount: UInt64 = 0
    /// Whether the stream carries a tunnel instead of messages, because CONNECT was answered with
    /// 2xx. Only DATA may be sent on it then (RFC 9113 §8.5).
    private(set) var isTunnel = false
    /// The number of interim responses received.
    var informationalCount = 0
    /// Whether received data is ignored, because the message was malformed and is waiting for its
    /// response, or was answered before it was complete.
    var isPassedOver = false
    /// The number of bytes that were ignored.
    var thrownAwayByteCount = 0

    /// Body bytes that are waiting for the window or for the stream's turn.
    private(set) var waiting: [UInt8] = []
    private var waitingStart = 0
    /// How to end the direction once nothing is waiting; nil while more may be added.
    var ending: Ending?
    /// The code to reset the stream with once its direction has ended; nil if the peer may
    /// continue.
    var finalCode: HTTP2ErrorCode?
    /// The log of the stream's frames; nil if frames are not logged.
    var log: FrameLog?
    /// Whether the stream is in the line of those that may send.
    var isInLine = false
    /// Whether too much is waiting, so that the owner has to be told when it can continue.
    var isCongested = false

    /// How a direction ends.
    enum Ending {
        case plain
        case trailers(HeaderFields)
    }

    init(
        id: StreamID, method: HTTPMethod, sendWindow: Int, receiveWindow: Int, openedAt: Int64
    ) {
        self.id = id
        self.openedAt = openedAt
        self.method = method
        self.sendWindow = sendWindow
        self.receiveWindow = receiveWindow
    }

    /// Whether both directions have ended.
    var isClosed: Bool { receiving == .ended && sending == .ended }

    var waitingByteCount: Int { waiting.count &- waitingStart }

    /// Turns the stream into a tunnel, which carries any number of bytes.
    func becomeTunnel() {
        isTunnel = true
        announcedByteCount = nil
    }

    /// Appends bytes to the waiting ones.
    func wait(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { waiting.append(contentsOf: $0) }
    }

    /// Removes the first waiting bytes and passes them to `use`: `count` bytes, or all if there are
    /// fewer.
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

    /// Discards the waiting bytes.
    func dropWaiting() {
        waiting = []
        waitingStart = 0
        ending = nil
    }
}
