/// Empty buffers with storage left from earlier use, for streams that have something to queue.
///
/// Bounded in octets, and none grew large, so that a burst does not stay in memory.
struct SpareBuffers {
    /// Enough for both sides of some dozens of exchanges that are answered in one dispatch.
    private static let countMax = 64
    private static let byteCountMax = 2 << 20
    private static let bufferByteCountMax = 512 << 10

    private var buffers: [[UInt8]] = []
    private var byteCount = 0

    /// The one that was kept last, or one without storage.
    mutating func take() -> [UInt8] {
        guard let buffer = buffers.popLast() else { return [] }
        byteCount -= buffer.capacity
        return buffer
    }

    /// Keeps a buffer, without what is in it, or lets go of it where there is no room.
    mutating func keep(_ buffer: consuming [UInt8]) {
        let capacity = buffer.capacity
        guard buffers.count < SpareBuffers.countMax, capacity <= SpareBuffers.bufferByteCountMax,
            byteCount + capacity <= SpareBuffers.byteCountMax
        else { return }
        buffer.removeAll(keepingCapacity: true)
        byteCount += capacity
        buffers.append(buffer)
    }
}
