/// Empty buffers with storage from earlier use, for streams that need a queue.
///
/// Limited in total and per buffer, so that the memory of a burst is freed again.
struct SpareBuffers {
    /// Enough for both sides of some dozens of exchanges that are answered in one dispatch.
    private static let countMax = 64
    private static let byteCountMax = 2 << 20
    private static let bufferByteCountMax = 512 << 10

    private var buffers: [[UInt8]] = []
    private var byteCount = 0

    /// Returns the buffer that was kept last, or one without storage.
    mutating func take() -> [UInt8] {
        guard let buffer = buffers.popLast() else { return [] }
        byteCount -= buffer.capacity
        return buffer
    }

    /// Empties and keeps a buffer, or frees it if there is no room.
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
