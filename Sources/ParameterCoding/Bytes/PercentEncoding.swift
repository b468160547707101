/// The bytes that are not escaped in percent-encoding (RFC 3986 §2.1); all others become `%` and
/// two upper-case hexadecimal digits. Non-ASCII bytes are always escaped.
public struct EscapeSet: Sendable, Hashable {
    /// RFC 3986's unreserved characters plus `/` and `?`, allowed in a query (§3.4): 68 in all.
    public static let rfc3986 = EscapeSet.strict.keeping("/?")
    /// RFC 3986's unreserved characters only (§2.3): 66 characters.
    public static let strict = EscapeSet(keeping: alphanumerics + "-._~")
    /// The application/x-www-form-urlencoded percent-encode set (WHATWG URL §1.3). A space becomes
    /// `+` there: see `URLEncoding.SpaceEncoding`.
    public static let whatwgForm = EscapeSet(keeping: alphanumerics + "*-._")
    /// The characters that a browser does not escape in the query of an http or https URL (WHATWG
    /// URL §1.3, the special-query percent-encode set). It keeps `&`, `=`, `+` and `%`: for whole
    /// queries.
    public static let whatwgQuery = EscapeSet(
        keeping: alphanumerics + "-._~!$%&()*+,/:;=?@[\\]^`{|}")
    /// The characters that a query's grammar allows (RFC 3986 §3.4), and `%`: for whole queries.
    public static let rfc3986Query = EscapeSet(keeping: alphanumerics + "-._~!$&'()*+,;=:@/?%")

    /// All visible characters of ASCII: for whole URLs, of which nothing else may be sent.
    package static let visible = EscapeSet(
        keeping: alphanumerics + "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

    /// The characters that parameters like `filename*` keep (RFC 8187 §3.2.1, `attr-char`).
    static let extendedValue = EscapeSet(keeping: alphanumerics + "!#$&+-.^_`|~")

    private static let alphanumerics =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    /// One bit for each ASCII character that is not escaped.
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Creates a set that keeps the given ASCII characters; other characters are ignored.
    public init(keeping characters: String) {
        for byte in characters.utf8 { set(byte, isKept: true) }
    }

    public func keeping(_ characters: String) -> EscapeSet {
        var changed = self
        for byte in characters.utf8 { changed.set(byte, isKept: true) }
        return changed
    }

    public func escaping(_ characters: String) -> EscapeSet {
        var changed = self
        for byte in characters.utf8 { changed.set(byte, isKept: false) }
        return changed
    }

    public func keeps(_ byte: UInt8) -> Bool {
        guard byte < 0x80 else { return false }
        let half = byte < 0x40 ? low : high
        return half >> UInt64(byte & 0x3F) & 1 == 1
    }

    public func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        append(bytes.span, spaceIsPlus: false, to: &encoded)
        return encoded
    }

    public func encoded(_ text: String) -> String {
        String(decoding: encoded(Array(text.utf8)), as: UTF8.self)
    }

    private mutating func set(_ byte: UInt8, isKept: Bool) {
        guard byte < 0x80 else { return }
        let bit: UInt64 = 1 << UInt64(byte & 0x3F)
        switch (byte < 0x40, isKept) {
        case (true, true): low |= bit
        case (true, false): low &= ~bit
        case (false, true): high |= bit
        case (false, false): high &= ~bit
        }
    }

    /// Appends percent-encoded bytes. Their total size is computed before writing.
    func append(_ bytes: Span<UInt8>, spaceIsPlus: Bool, to output: inout [UInt8]) {
        var escapeCount = 0
        for index in bytes.indices where !keeps(bytes[index]) {
            if bytes[index] != 0x20 || !spaceIsPlus { escapeCount &+= 1 }
        }
        var position = output.count
        output.append(contentsOf: repeatElement(0, count: bytes.count + 2 * escapeCount))
        var room = output.mutableSpan
        for index in bytes.indices {
            let byte = bytes[index]
            if keeps(byte) {
                room[position] = byte
            } else if byte == 0x20, spaceIsPlus {
                room[position] = 0x2B
            } else {
                room[position] = 0x25
                room[position &+ 1] = Byte.hexDigit(byte >> 4)
                room[position &+ 2] = Byte.hexDigit(byte & 0x0F)
                position &+= 2
            }
            position &+= 1
        }
    }
}

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
