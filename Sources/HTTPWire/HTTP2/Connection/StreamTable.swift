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
    /// Those that were closed last, as a ring.
    private var closed: [(id: StreamID, how: Closing)] = []
    private var closedNext = 0

    /// Those that are open, the lowest number first.
    var open: [HTTP2Stream] { all.values }

    /// The open stream of a number.
    func find(_ id: StreamID) -> HTTP2Stream? { all[id] }

    /// Adds a stream whose number none has had.
    mutating func add(_ stream: HTTP2Stream) { all.add(stream, for: stream.id) }

    /// Closes a stream.
    mutating func close(_ stream: HTTP2Stream, _ how: Closing) {
        if all.remove(stream.id) != nil { note(stream.id, how) }
    }

    /// Remembers how a stream was closed that perhaps never was open.
    mutating func note(_ id: StreamID, _ how: Closing) {
        if closed.count < StreamTable.closedCountMax {
            closed.append((id, how))
        } else {
            closed[closedNext] = (id, how)
            closedNext = (closedNext &+ 1) % StreamTable.closedCountMax
        }
    }

    /// How a stream was closed; nil where that is long ago, or it never was open.
    func closing(of id: StreamID) -> Closing? { closed.last { $0.id == id }?.how }
}
