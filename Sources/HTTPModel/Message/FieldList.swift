/// The storage format of field lines whose names or values may contain any bytes, so that a text
/// format would be ambiguous: for each line the length of the name, the name, the length of the
/// value and the value. Lengths are unsigned LEB128 numbers.
public enum FieldList {
    /// Appends a line.
    public static func append(name: Span<UInt8>, value: Span<UInt8>, to output: inout [UInt8]) {
        append(name, to: &output)
        append(value, to: &output)
    }

    /// Returns names and values in order; a truncated line at the end is ignored.
    public static func pairs(_ bytes: [UInt8]) -> [(
        name: ArraySlice<UInt8>, value: ArraySlice<UInt8>
    )] {
        var pairs: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
        var rest = bytes[...]
        while let name = takePart(&rest), let value = takePart(&rest) {
            pairs.append((name, value))
        }
        return pairs
    }

    /// Returns the lines for display, as `name: value`, whatever bytes they contain.
    public static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        pairs(bytes).map { $0.name + [0x3A, 0x20] + $0.value }
    }

    private static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        appendLength(bytes.count, to: &output)
        bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
    }

    private static func appendLength(_ count: Int, to output: inout [UInt8]) {
        var left = UInt(bitPattern: count)
        while left >= 0x80 {
            output.append(UInt8(truncatingIfNeeded: left) | 0x80)
            left &>>= 7
        }
        output.append(UInt8(truncatingIfNeeded: left))
    }

    private static func takePart(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var count = 0
        var shift = 0
        while true {
            guard shift < 35, let byte = rest.popFirst() else { return nil }
            count |= Int(byte & 0x7F) &<< shift
            if byte & 0x80 == 0 { break }
            shift &+= 7
        }
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
