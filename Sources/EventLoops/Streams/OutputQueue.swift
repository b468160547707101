/// Bytes waiting for the kernel: an array with a moving start offset. Has no storage while empty.
struct OutputQueue {
    private var storage: [UInt8] = []
    private var headOffset = 0

    /// The number of waiting bytes.
    var byteCount: Int { storage.count - headOffset }
    var isEmpty: Bool { headOffset == storage.count }

    /// Copies bytes to the end; returns how many wait.
    @discardableResult
    mutating func append(_ bytes: Span<UInt8>, loop: EventLoop) -> Int {
        if storage.capacity == 0 { storage = loop.takeSpareBuffer() }
        bytes.withUnsafeBufferPointer { storage.append(contentsOf: $0) }
        return byteCount
    }

    /// Passes the waiting bytes to `body`.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        storage.withUnsafeBufferPointer { body(.init(rebasing: $0[headOffset...])) }
    }

    /// Calls `send` with the waiting bytes, and removes those it sent; also returns how many are
    /// left. A single call, because each access to a queue from outside is checked for exclusivity.
    mutating func send(
        loop: EventLoop, _ send: (UnsafeBufferPointer<UInt8>) -> SocketCalls.Transfer
    ) -> (outcome: SocketCalls.Transfer, leftByteCount: Int) {
        guard !isEmpty else { return (.moved(0), 0) }
        let outcome = withBytes(send)
        if case .moved(let count) = outcome { removeFirst(count, loop: loop) }
        return (outcome, byteCount)
    }

    /// Removes the first bytes, which were sent.
    mutating func removeFirst(_ byteCount: Int, loop: EventLoop) {
        headOffset += min(byteCount, self.byteCount)
        if isEmpty {
            removeAll(loop: loop)
        } else if headOffset >= 64 * 1_024, headOffset >= storage.count / 2 {
            // Moves at most as many bytes as were sent, so that each byte moves once on average.
            storage.removeFirst(headOffset)
            headOffset = 0
        }
    }

    /// Removes all bytes and gives the storage to the next stream that needs it.
    mutating func removeAll(loop: EventLoop) {
        guard storage.capacity > 0 else { return }
        let empty = storage
        storage = []
        headOffset = 0
        loop.keepSpareBuffer(empty)
    }
}
