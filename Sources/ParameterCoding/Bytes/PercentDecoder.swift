/// Decodes percent-encoding (RFC 3986 §2.1) as forms do: an invalid escape stays unchanged.
struct PercentDecoder {
    private static let scratchByteCountMin = 256

    private let text: ByteText
    private let plusIsSpace: Bool
    /// Reused between calls; only its start is in use. Enlarged in advance, because growing byte by
    /// byte costs more than decoding.
    private var scratch: [UInt8] = []

    init(text: ByteText, plusIsSpace: Bool) {
        self.text = text
        self.plusIsSpace = plusIsSpace
    }

    /// The decoded text of a part of `bytes`.
    mutating func decodedText(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        reading(bytes, range).text
    }

    /// The decoded text of a part of `bytes`, and how it was decoded.
    mutating func reading(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) -> (text: String, origin: TextOrigin) {
        let raw = bytes.extracting(range)
        guard let first = firstEncoded(raw) else { return text.reading(raw) }
        let count = decode(raw, from: first)
        return text.reading(scratch.span.extracting(0..<count))
    }

    /// The decoded bytes of a part of `bytes`.
    mutating func decodedBytes(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        let count = decode(bytes.extracting(range), from: 0)
        return Array(scratch[..<count])
    }

    private func firstEncoded(_ raw: Span<UInt8>) -> Int? {
        var index = 0
        while index < raw.count {
            let byte = raw[index]
            if byte == 0x25 || (byte == 0x2B && plusIsSpace) { return index }
            index &+= 1
        }
        return nil
    }

    /// Decodes into the start of `scratch` and returns the number of bytes. Nothing before `first`
    /// needs decoding.
    private mutating func decode(_ raw: Span<UInt8>, from first: Int) -> Int {
        if scratch.count < raw.count {
            scratch = Array(repeating: 0, count: max(raw.count, PercentDecoder.scratchByteCountMin))
        }
        let plusIsSpace = plusIsSpace
        var decoded = scratch.mutableSpan
        for index in 0..<first { decoded[index] = raw[index] }
        var count = first
        var index = first
        while index < raw.count {
            var byte = raw[index]
            index &+= 1
            if byte == 0x25, index &+ 1 < raw.count,
                let high = Byte.hexValue(raw[index]), let low = Byte.hexValue(raw[index &+ 1])
            {
                byte = high << 4 | low
                index &+= 2
            } else if byte == 0x2B, plusIsSpace {
                byte = 0x20
            }
            decoded[count] = byte
            count &+= 1
        }
        return count
    }
}
