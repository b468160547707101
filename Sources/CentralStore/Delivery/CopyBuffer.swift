/// Collects the rows of a `COPY … (FORMAT binary)` and sends them piece by piece (PostgreSQL
/// manual, COPY, "Binary Format").
package struct CopyBuffer: ~Copyable {
    private static let signature: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    /// How many bytes are collected before they are sent.
    private static let pieceByteCount = 64 << 10

    private var bytes = CopyBuffer.signature
    private let send: (Span<UInt8>) throws(CentralError) -> Void

    package init(_ send: @escaping (Span<UInt8>) throws(CentralError) -> Void) {
        self.send = send
    }

    /// Starts a row with a number of values.
    mutating func startRow(_ count: Int) throws(CentralError) {
        if bytes.count > CopyBuffer.pieceByteCount { try flush() }
        bytes.append(bigEndian: Int16(truncatingIfNeeded: count))
    }

    mutating func null() { bytes.append(bigEndian: Int32(-1)) }

    mutating func bigint(_ number: Int64?) {
        guard let number else { return null() }
        bytes.append(bigEndian: Int32(8))
        bytes.append(bigEndian: number)
    }

    /// A number that does not fit becomes the nearest one that does.
    mutating func integer(_ number: Int64?) {
        guard let number else { return null() }
        bytes.append(bigEndian: Int32(4))
        bytes.append(bigEndian: Int32(clamping: number))
    }

    mutating func smallint(_ number: Int64?) {
        guard let number else { return null() }
        bytes.append(bigEndian: Int32(2))
        bytes.append(bigEndian: Int16(clamping: number))
    }

    mutating func boolean(_ isTrue: Bool?) {
        guard let isTrue else { return null() }
        bytes.append(bigEndian: Int32(1))
        bytes.append(isTrue ? 1 : 0)
    }

    /// A text; U+0000 becomes U+2400.
    mutating func text(_ text: String?) {
        guard let text else { return null() }
        let place = bytes.count
        bytes.append(bigEndian: Int32(0))
        bytes.append(cleaned: text)
        setLength(at: place)
    }

    mutating func bytea(_ value: [UInt8]?) {
        guard let value else { return null() }
        bytes.append(bigEndian: Int32(clamping: value.count))
        bytes.append(contentsOf: value)
    }

    mutating func texts(_ texts: [String]?) {
        guard let texts else { return null() }
        let place = bytes.count
        bytes.append(bigEndian: Int32(0))
        bytes.appendArray(texts)
        setLength(at: place)
    }

    /// Microseconds since 2000 (PostgreSQL manual, "Date/Time Types"), rounded down.
    mutating func timestamp(ns: Int64) { bigint(CentralTime.microseconds(ns: ns)) }

    /// Sends what is left, and the end.
    package consuming func finish() throws(CentralError) {
        bytes.append(bigEndian: Int16(-1))
        try send(bytes.span)
    }

    private mutating func flush() throws(CentralError) {
        try send(bytes.span)
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func setLength(at place: Int) {
        let length = Int32(clamping: bytes.count - place - 4)
        Swift.withUnsafeBytes(of: length.bigEndian) { buffer in
            for index in 0..<4 { bytes[place + index] = buffer[index] }
        }
    }
}
