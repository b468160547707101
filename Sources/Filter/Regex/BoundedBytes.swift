/// A byte buffer with a maximum size.
struct BoundedBytes {
    let byteCountMax: Int
    private(set) var bytes: [UInt8] = []

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Appends bytes. Returns false, and appends nothing, if the limit would be exceeded.
    mutating func append(_ source: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count <= byteCountMax - bytes.count else { return false }
        source.extracting(range).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        return true
    }
}
