internal import ProxydHTTPModel

/// The open streams of a connection in the order of their numbers, and the most recently closed
/// ones.
struct StreamTable {
    /// How a stream was closed.
    enum Closing {
        /// Both sides had ended it.
        case ended
        /// The peer reset it.
        case resetByPeer
        /// We reset it: what the peer sent before it knew is ignored.
        case resetByUs
    }

    /// More than a busy connection closes within a round trip, in which frames of them may arrive.
    private static let closedCountMax = 1_024

    private var all = StreamMap<HTTP2Stream>()
    /// What is remembered about a closed stream.
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

    /// Returns the open stream with this number, or nil if there is none.
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
        guard let place = closed.lastIndex(where: { $0.id == id }),
            byteCount > 0, byteCount <= closed[place].lateByteCount
        else { return false }
        closed[place].lateByteCount &-= UInt32(clamping: byteCount)
        return true
    }

    /// Returns how a stream was closed, or nil if that was too long ago or it was never open.
    func closing(of id: StreamID) -> Closing? { closed.last { $0.id == id }?.how }
}
