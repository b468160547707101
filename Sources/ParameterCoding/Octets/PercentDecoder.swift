/// Undoes percent-encoding (RFC 3986 §2.1) the way forms do: a bad escape stays as it was.
struct PercentDecoder {
    private let text: OctetText
    private let plusIsSpace: Bool
    /// Reused from call to call.
    private var scratch: [UInt8] = []

    init(text: OctetText, plusIsSpace: Bool) {
        self.text = text
        self.plusIsSpace = plusIsSpace
    }

    /// The decoded text of a part of `octets`.
    mutating func decodedText(_ octets: Span<UInt8>, _ range: Range<Int>) -> String {
        reading(octets, range).text
    }

    /// The decoded text of a part of `octets`, and what it was read as.
    mutating func reading(
        _ octets: Span<UInt8>, _ range: Range<Int>
    ) -> (text: String, origin: TextOrigin) {
        let raw = octets.extracting(range)
        guard let first = firstEncoded(raw) else { return text.reading(raw) }
        scratch.removeAll(keepingCapacity: true)
        decode(raw, from: first)
        return text.reading(scratch.span)
    }

    /// The decoded octets of a part of `octets`.
    mutating func decodedOctets(_ octets: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        scratch.removeAll(keepingCapacity: true)
        decode(octets.extracting(range), from: 0)
        return scratch
    }

    private func firstEncoded(_ raw: Span<UInt8>) -> Int? {
        var index = 0
        while index < raw.count {
            let octet = raw[index]
            if octet == 0x25 || (octet == 0x2B && plusIsSpace) { return index }
            index &+= 1
        }
        return nil
    }

    private mutating func decode(_ raw: Span<UInt8>, from first: Int) {
        raw.extracting(0..<first).withUnsafeBufferPointer { scratch.append(contentsOf: $0) }
        var index = first
        while index < raw.count {
            let octet = raw[index]
            if octet == 0x25, index &+ 2 < raw.count,
                let high = Octet.hexValue(raw[index &+ 1]),
                let low = Octet.hexValue(raw[index &+ 2])
            {
                scratch.append(high << 4 | low)
                index &+= 3
            } else {
                scratch.append(octet == 0x2B && plusIsSpace ? 0x20 : octet)
                index &+= 1
            }
        }
    }
}
