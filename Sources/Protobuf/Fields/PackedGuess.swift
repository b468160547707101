internal import ProxydParameterCoding

/// Guesses whether bytes are a packed field, which the wire format does not indicate.
enum PackedGuess {
    /// Varints that end where the bytes do; nil if they do not, if one is longer than necessary,
    /// which no encoder writes, or if there are too many to show.
    static func varints(_ bytes: [UInt8], _ content: Range<Int>) -> [JSONValue]? {
        var numbers: [JSONValue] = []
        var reader = WireReader(bytes, content)
        var start = reader.position
        while let value = try? reader.nextVarint() {
            guard numbers.count < FieldReadings.packedCountMax,
                reader.position &- start == byteCount(value)
            else { return nil }
            numbers.append(.digits(value))
            start = reader.position
        }
        return reader.isAtEnd && start == content.upperBound ? numbers : nil
    }

    /// Floats of a plausible magnitude; nil if one of them is not.
    static func floats(_ bytes: ArraySlice<UInt8>) -> [JSONValue]? {
        numbers(bytes, size: 4) { bits in
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            return isUsual(Double(value)) ? .floating(value) : nil
        }
    }

    /// Doubles of a plausible magnitude; nil if one of them is not.
    static func doubles(_ bytes: ArraySlice<UInt8>) -> [JSONValue]? {
        numbers(bytes, size: 8) { bits in
            let value = Double(bitPattern: bits)
            return isUsual(value) ? .floating(value) : nil
        }
    }

    private static func numbers(
        _ bytes: ArraySlice<UInt8>, size: Int, _ number: (UInt64) -> JSONValue?
    ) -> [JSONValue]? {
        guard bytes.count % size == 0, bytes.count / size <= FieldReadings.packedCountMax else {
            return nil
        }
        var numbers: [JSONValue] = []
        var rest = bytes
        while !rest.isEmpty {
            guard let value = number(WireReader.little(rest.prefix(size))) else { return nil }
            numbers.append(value)
            rest = rest.dropFirst(size)
        }
        return numbers
    }

    private static func isUsual(_ value: Double) -> Bool {
        value == 0 || (1e-6...1e12).contains(value.magnitude)
    }

    /// The encoded length of a varint in bytes.
    private static func byteCount(_ value: UInt64) -> Int {
        max(1, (64 - value.leadingZeroBitCount + 6) / 7)
    }
}
