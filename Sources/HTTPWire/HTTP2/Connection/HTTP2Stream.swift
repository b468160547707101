public import ProxydHTTPModel

/// The state of one stream of a connection (RFC 9113 §5.1). Belongs to a single connection.
///
/// ```
/// receiving: head ──head──▶ body ──END_STREAM──▶ ended
/// sending:   head ──head──▶ body ──END_STREAM──▶ ended        both ended, or a reset: closed
/// ```
final class HTTP2Stream {
    enum Direction {
        case head
        case body
        case ended
    }

    let id: StreamID
    /// When the stream was opened, in monotonic nanoseconds.
    let openedAt: Int64
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
    var pausedByteCount = 0
    /// The part of `pausedByteCount` that has not been returned to the connection's window either.
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
    var informationalCount = 0
    /// Whether received data is ignored, because the message was malformed and is waiting for its
    /// response, or was answered before it was complete.
    var isPassedOver = false
    var thrownAwayByteCount = 0

    /// Body bytes that are waiting for the window or for the stream's turn.
    // Exclusive: only `take` calls a closure meanwhile, which copies the bytes it is given.
    @exclusivity(unchecked) private(set) var waiting: [UInt8] = []
    private var waitingStart = 0
    /// How to end the direction once nothing is waiting; nil while more may be added.
    var ending: Ending?
    /// The code to reset the stream with once its direction has ended; nil if the peer may
    /// continue.
    var finalCode: HTTP2ErrorCode?
    /// The log of the stream's frames; nil if frames are not logged.
    var log: FrameLog?
    /// Whether the stream is in the queue of those that may send.
    var isQueued = false
    /// Whether too much is waiting, so that the owner has to be told when it can continue.
    var isCongested = false

    enum Ending {
        case plain
        case trailers(HeaderFields)
    }

    init(id: StreamID, method: HTTPMethod, sendWindow: Int, receiveWindow: Int, openedAt: Int64) {
        self.id = id
        self.openedAt = openedAt
        self.method = method
        self.sendWindow = sendWindow
        self.receiveWindow = receiveWindow
    }

    var isClosed: Bool { receiving == .ended && sending == .ended }

    var waitingByteCount: Int { waiting.count &- waitingStart }

    /// Turns the stream into a tunnel, which carries any number of bytes.
    func becomeTunnel() {
        isTunnel = true
        announcedByteCount = nil
    }

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

    func dropWaiting() {
        waiting = []
        waitingStart = 0
        ending = nil
    }
}

/// The open streams of a connection in the order of their numbers, and the most recently closed
/// ones.
struct StreamTable {
    enum Closing {
        /// Both sides had ended it.
        case ended
        case resetByPeer
        /// We reset it: what the peer sent before it knew is ignored.
        case resetByUs
    }

    /// More than a busy connection closes within a round trip, in which frames of them may arrive.
    private static let closedCountMax = 1_024

    private var all = StreamMap<HTTP2Stream>()
    private struct Closed {
        let id: StreamID
        let how: Closing
        /// The number of bytes that the peer may have sent before it knew.
        var lateByteCount: UInt32
    }

    /// The most recently closed streams, as a ring buffer.
    private var closed: [Closed] = []
    private var closedNext = 0

    /// The open streams in ascending order of number.
    var open: [HTTP2Stream] { all.values }

    func find(_ id: StreamID) -> HTTP2Stream? { all[id] }

    /// Adds a stream whose number has not been used before.
    mutating func add(_ stream: HTTP2Stream) { all.add(stream, for: stream.id) }

    /// Closes a stream; returns false if it was already closed.
    mutating func close(_ stream: HTTP2Stream, _ how: Closing) -> Bool {
        guard all.remove(stream.id) != nil else { return false }
        note(stream.id, how, lateByteCount: stream.receiveWindow)
        return true
    }

    /// Remembers how a stream was closed (it may never have been open), and how many bytes its
    /// window still allowed.
    mutating func note(_ id: StreamID, _ how: Closing, lateByteCount: Int) {
        let stream = Closed(
            id: id, how: how, lateByteCount: how == .resetByUs ? UInt32(clamping: lateByteCount) : 0
        )
        if closed.count < StreamTable.closedCountMax {
            closed.append(stream)
        } else {
            closed[closedNext] = stream
            closedNext = (closedNext &+ 1) % StreamTable.closedCountMax
        }
    }

    /// Counts bytes received on a closed stream; returns whether the peer may have sent them before
    /// it knew about our reset.
    mutating func takeLate(_ byteCount: Int, on id: StreamID) -> Bool {
        guard let index = closed.lastIndex(where: { $0.id == id }),
            byteCount > 0, byteCount <= closed[index].lateByteCount
        else { return false }
        closed[index].lateByteCount &-= UInt32(clamping: byteCount)
        return true
    }

    /// Returns how a stream was closed, or nil if that was too long ago or it was never open.
    func closing(of id: StreamID) -> Closing? { closed.last { $0.id == id }?.how }
}

/// A map from a connection's streams to values, ordered by stream number. Because the numbers
/// increase, adding means appending, and a lookup needs no hashing.
public struct StreamMap<Value> {
    /// A map that becomes empty keeps memory for at most this many values.
    @usableFromInline static var keptCapacityMax: Int { 16 }

    @usableFromInline var ids: [StreamID] = []
    @usableFromInline var all: [Value] = []

    public init() {}

    @inlinable public var count: Int { all.count }
    @inlinable public var isEmpty: Bool { all.isEmpty }
    /// All values, in ascending order of stream number.
    @inlinable public var values: [Value] { all }

    @inlinable
    public subscript(id: StreamID) -> Value? {
        let index = index(of: id)
        return index < ids.count && ids[index] == id ? all[index] : nil
    }

    /// Sets the value of a stream, replacing any previous one.
    @inlinable
    public mutating func add(_ value: Value, for id: StreamID) {
        let index = index(of: id)
        if index == ids.count {
            ids.append(id)
            all.append(value)
        } else if ids[index] == id {
            all[index] = value
        } else {
            ids.insert(id, at: index)
            all.insert(value, at: index)
        }
    }

    @inlinable
    @discardableResult
    public mutating func remove(_ id: StreamID) -> Value? {
        let index = index(of: id)
        guard index < ids.count, ids[index] == id else { return nil }
        ids.remove(at: index)
        let value = all.remove(at: index)
        if ids.isEmpty, ids.capacity > Self.keptCapacityMax { removeAll() }
        return value
    }

    @inlinable
    public mutating func removeAll() {
        ids = []
        all = []
    }

    /// The index where a number is, or where it would be inserted.
    @inlinable
    func index(of id: StreamID) -> Int {
        guard let last = ids.last, id <= last else { return ids.count }
        var low = 0
        var high = ids.count &- 1
        while low < high {
            let middle = (low &+ high) / 2
            if ids[middle] < id { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
