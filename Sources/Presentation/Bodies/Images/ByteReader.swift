/// Reads integers from bytes; returns nil beyond their end.
struct ByteReader {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    subscript(index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

    func little16(_ index: Int) -> Int? { little(index, 2) }
    func little24(_ index: Int) -> Int? { little(index, 3) }
    func little32(_ index: Int) -> Int? { little(index, 4) }
    func big16(_ index: Int) -> Int? { big(index, 2) }
    func big32(_ index: Int) -> Int? { big(index, 4) }

    func starts(_ signature: [UInt8], at index: Int = 0) -> Bool {
        index <= bytes.count && bytes[index...].starts(with: signature)
    }

    func starts(_ signature: String, at index: Int = 0) -> Bool {
        starts(Array(signature.utf8), at: index)
    }

    /// Reads an unsigned big-endian integer of at most seven bytes.
    func big(_ index: Int, _ byteCount: Int) -> Int? {
        guard index >= 0, byteCount <= bytes.count, index <= bytes.count - byteCount else {
            return nil
        }
        return bytes[index..<index + byteCount].reduce(0) { $0 << 8 | Int($1) }
    }

    private func little(_ index: Int, _ byteCount: Int) -> Int? {
        guard index >= 0, byteCount <= bytes.count, index <= bytes.count - byteCount else {
            return nil
        }
        return bytes[index..<index + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
