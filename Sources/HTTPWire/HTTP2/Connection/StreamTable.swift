internal import ProxydHTTPModel

/// The open streams of a connection, in the order of their numbers, and which were closed last.
struct StreamTable {
    /// How a stream was closed.
    enum Closing {
        /// Both sides had ended it.
        case ended
        /// The peer reset it.
        case resetByPeer
        /// We reset it: what the peer had sent before it knew is passed over.
        case resetByUs
    }

    private static let closedCountMax = 128

    private var all = StreamMap<HTTP2Stream>()
    /// What is remembered of a stream that was closed.
    private struct Closed {
        let id: StreamID
        let how: Closing
        /// What the peer may have sent before it knew.
        var lateByteCount: UInt32
    }

    /// Those that were closed last, as a ring.
    private var closed: [Closed] = []
    private var closedNext = 0

    /// Those that are open, the lowest number first.
    var open: [HTTP2Stream] { all.values }

    /// The open stream of a number.
    func find(_ id: StreamID) -> HTTP2Stream? { all[id] }

    /// Adds a stream whose number none has had.
    mutating func add(_ stream: HTTP2Stream) { all.add(stream, for: stream.id) }

    /// Closes a stream; false where it was closed before.
    mutating func close(_ stream: HTTP2Stream, _ how: Closing) -> Bool {
        guard all.remove(stream.id) != nil else { return false }
        note(stream.id, how, lateByteCount: stream.receiveWindow)
        return true
    }

    /// Remembers how a stream was closed that perhaps never was open, and how many bytes its window
    /// still allowed.
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

    /// Counts bytes that came on a closed stream; tells whether the peer may have sent them before
    /// it knew that we had reset it.
    mutating func takeLate(_ byteCount: Int, on id: StreamID) -> Bool {
        guard let place = closed.lastIndex(where: { $0.id == id }),
            byteCount > 0, byteCount <= closed[place].lateByteCount
        else { return false }
        closed[place].lateByteCount &-= UInt32(clamping: byteCount)
        return true
    }

    /// How a stream was closed; nil where that is long ago, or it never was open.
    func closing(of id: StreamID) -> Closing? { closed.last { $0.id == id }?.how }
}
