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

    /// Those that are open, the lowest number first.
    private(set) var open: [HTTP2Stream] = []
    /// Those that were closed last, as a ring.
    private var closed: [(id: StreamID, how: Closing)] = []
    private var closedNext = 0

    /// The open stream of a number.
    func find(_ id: StreamID) -> HTTP2Stream? {
        let place = place(of: id)
        guard place < open.count, open[place].id == id else { return nil }
        return open[place]
    }

    /// Adds a stream whose number is above all others'.
    mutating func add(_ stream: HTTP2Stream) { open.append(stream) }

    /// Closes a stream.
    mutating func close(_ stream: HTTP2Stream, _ how: Closing) {
        let place = place(of: stream.id)
        guard place < open.count, open[place] === stream else { return }
        open.remove(at: place)
        if open.isEmpty { open = [] }
        note(stream.id, how)
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

    private func place(of id: StreamID) -> Int {
        if let last = open.last, last.id < id { return open.count }
        var low = 0
        var high = open.count
        while low < high {
            let middle = (low &+ high) / 2
            if open[middle].id < id { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
