/// Octets waiting for the kernel: an array with a head that moves. Holds no storage while empty.
struct OutputQueue {
    private var storage: [UInt8] = []
    private var headOffset = 0

    /// Octets waiting.
    var byteCount: Int { storage.count - headOffset }
    var isEmpty: Bool { headOffset == storage.count }

    /// Copies octets to the end; returns how many wait.
    @discardableResult
    mutating func append(_ bytes: Span<UInt8>, loop: EventLoop) -> Int {
        if storage.capacity == 0 { storage = loop.takeSpareBuffer() }
        bytes.withUnsafeBufferPointer { storage.append(contentsOf: $0) }
        return byteCount
    }

    /// Lends the waiting octets.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        storage.withUnsafeBufferPointer { body(.init(rebasing: $0[headOffset...])) }
    }

    /// Has `send` move the waiting octets, and forgets what it moved; also says how many are left.
    /// One call, because each use of a queue from outside is checked for being the only one.
    mutating func send(
        loop: EventLoop, _ send: (UnsafeBufferPointer<UInt8>) -> SocketCalls.Transfer
    ) -> (outcome: SocketCalls.Transfer, leftByteCount: Int) {
        guard !isEmpty else { return (.moved(0), 0) }
        let outcome = withBytes(send)
        if case .moved(let count) = outcome { removeFirst(count, loop: loop) }
        return (outcome, byteCount)
    }

    /// Forgets the first octets, which were sent.
    mutating func removeFirst(_ byteCount: Int, loop: EventLoop) {
        headOffset += min(byteCount, self.byteCount)
        if isEmpty {
            removeAll(loop: loop)
        } else if headOffset >= 64 * 1_024, headOffset >= storage.count / 2 {
            // Moves at most as many octets as were sent, so that each octet moves once on average.
            storage.removeFirst(headOffset)
            headOffset = 0
        }
    }

    /// Forgets all and gives the storage to the next stream that needs one.
    mutating func removeAll(loop: EventLoop) {
        guard storage.capacity > 0 else { return }
        let empty = storage
        storage = []
        headOffset = 0
        loop.keepSpareBuffer(empty)
    }
}
