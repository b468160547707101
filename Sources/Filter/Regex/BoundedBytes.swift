/// Bytes up to a limit.
struct BoundedBytes {
    let byteCountMax: Int
    private(set) var bytes: [UInt8] = []

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// False, and nothing is appended, where it would be too many.
    mutating func append(_ source: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count <= byteCountMax - bytes.count else { return false }
        source.extracting(range).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        return true
    }
}
