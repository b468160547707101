internal import FuzzSupport
internal import ProxydParameterCoding

/// Queries and forms: no byte is lost, and names and values are what a plain decoder makes of
/// them.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let bytes = Array(input.rest)
    let decoder = QueryDecoder(
        plusIsSpace: settings & 0x01 == 0, semicolonSeparates: settings & 0x02 != 0)
    let decoded = decoder.decode(bytes)
    require(decoded.bytes == bytes && decoded.joined() == bytes, "bytes are lost")
    let separators: Set<UInt8> = decoder.semicolonSeparates ? [0x26, 0x3B] : [0x26]
    let separatorCount = bytes.count { separators.contains($0) }
    require(decoded.pairs.count == (bytes.isEmpty ? 0 : separatorCount + 1), "pairs are lost")
    for pair in decoded.pairs {
        let name = bytes[pair.rawName]
        require(!name.contains { $0 == 0x3D || separators.contains($0) }, "a name is too long")
        check(pair.name, of: name, decoder)
        require((pair.value == nil) == (pair.rawValue == nil), "a value without bytes")
        if let range = pair.rawValue, let value = pair.value {
            require(!bytes[range].contains { separators.contains($0) }, "a value is too long")
            check(value, of: bytes[range], decoder)
        }
    }
    return 0
}

/// Decodes byte by byte, without any short cut.
private func check(_ text: String, of raw: ArraySlice<UInt8>, _ decoder: QueryDecoder) {
    var decoded: [UInt8] = []
    var rest = raw
    while let byte = rest.popFirst() {
        let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        if byte == 0x25, digits.count == 2, rest.prefix(2).allSatisfy({ $0 < 0x80 }) {
            decoded.append(UInt8(truncatingIfNeeded: digits[0] * 16 + digits[1]))
            rest = rest.dropFirst(2)
        } else {
            decoded.append(byte == 0x2B && decoder.plusIsSpace ? 0x20 : byte)
        }
    }
    let expected = String(validating: decoded, as: UTF8.self) ?? windows1252(decoded)
    require(text.unicodeScalars.elementsEqual(expected.unicodeScalars), "decoded to another text")
}

private func windows1252(_ bytes: [UInt8]) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(
        contentsOf: bytes.map {
            (0x80...0x9F).contains($0) ? special[Int($0) - 0x80] : Unicode.Scalar($0)
        })
    return String(scalars)
}

/// The characters of 0x80 to 0x9F (WHATWG Encoding, index windows-1252).
private let special = Array(
    """
    \u{20AC}\u{81}\u{201A}\u{192}\u{201E}\u{2026}\u{2020}\u{2021}\u{2C6}\u{2030}\u{160}\u{2039}\
    \u{152}\u{8D}\u{17D}\u{8F}\u{90}\u{2018}\u{2019}\u{201C}\u{201D}\u{2022}\u{2013}\u{2014}\u{2DC}\
    \u{2122}\u{161}\u{203A}\u{153}\u{9D}\u{17E}\u{178}
    """.unicodeScalars)
