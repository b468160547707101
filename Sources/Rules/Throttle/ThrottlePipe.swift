/// Pieces in transit, ordered by arrival: a heap, so that each operation is cheap with many pieces.
struct ThrottlePipe: Sendable {
    struct Piece: Sendable {
        let flow: ThrottleFlow
        let kind: ThrottleArrival.Kind
        /// When the piece arrives, in nanoseconds.
        let dueNs: Int64
        /// The insertion number: of pieces that arrive at the same time, the earlier one comes
        /// first.
        fileprivate var number = 0

        init(flow: ThrottleFlow, kind: ThrottleArrival.Kind, dueNs: Int64) {
            self.flow = flow
            self.kind = kind
            self.dueNs = dueNs
        }

        fileprivate func isBefore(_ other: Piece) -> Bool {
            (dueNs, number) < (other.dueNs, other.number)
        }
    }

    private var heap: [Piece] = []
    private var count = 0

    /// When the first piece arrives; nil if none is in transit.
    var nextDueNs: Int64? { heap.first?.dueNs }

    mutating func insert(_ piece: Piece) {
        var piece = piece
        piece.number = count
        count += 1
        heap.append(piece)
        rise(from: heap.count - 1)
    }

    /// Removes and returns the first piece that has arrived by the given time.
    mutating func next(by nowNs: Int64) -> Piece? {
        guard let first = heap.first, first.dueNs <= nowNs else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return first
    }

    /// Removes all pieces of a flow.
    mutating func removeAll(of flow: ThrottleFlow) {
        let rest = heap.filter { $0.flow != flow }
        guard rest.count < heap.count else { return }
        // A sorted array is a valid heap.
        heap = rest.sorted { $0.isBefore($1) }
    }

    private mutating func rise(from start: Int) {
        var place = start
        while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink() {
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < heap.count && heap[child].isBefore(heap[least]) { least = child }
            guard least != place else { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
