/// A body that is already in memory: of a request being composed, or a part of another body.
package struct MemoryBodyOrigin: BodyOrigin {
    private static let chunkByteCount = 256 << 10

    private let bytes: [UInt8]

    /// Creates a body of these bytes.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    package func forEachChunk(_ body: ([UInt8]) -> Bool) throws {
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + MemoryBodyOrigin.chunkByteCount)
            guard body(Array(bytes[start..<end])) else { return }
            start = end
        }
    }
}
