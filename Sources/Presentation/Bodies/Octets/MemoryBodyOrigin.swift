/// A body that is already in memory: of a request being composed, or a part of another body.
package struct MemoryBodyOrigin: BodyOrigin {
    private static let chunkByteCount = 256 << 10

    private let octets: [UInt8]

    /// Creates a body of these bytes.
    package init(octets: [UInt8]) { self.octets = octets }

    package func forEachChunk(_ body: ([UInt8]) -> Bool) throws {
        var start = 0
        while start < octets.count {
            let end = min(octets.count, start + MemoryBodyOrigin.chunkByteCount)
            guard body(Array(octets[start..<end])) else { return }
            start = end
        }
    }
}
