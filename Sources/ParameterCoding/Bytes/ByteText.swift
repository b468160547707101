public import ProxydCharsets

/// Converts the bytes of names and values to text: in the declared charset if they are valid in it,
/// else as UTF-8 if they are valid, else as Windows-1252. It always returns a text and never traps.
public struct ByteText: Sendable, Hashable {
    /// The charset that was declared for the bytes; nil for none, UTF-8, and, except for parts of a
    /// form, charsets that have no ASCII bytes, in which no form can be written.
    public let charset: Charset?

    /// Creates a converter for bytes with this declared charset, or with none. A label that is not
    /// known declares nothing.
    /// - Parameter field: The value of a form's field `_charset_`, which counts if nothing else is
    ///   declared.
    public init(
        declaredCharset label: String? = nil, charsetField field: @autoclosure () -> String? = nil
    ) {
        let declared = label.flatMap { Charset(label: $0) }
        self.init(declared ?? field().flatMap { Charset(label: $0) })
    }

    private init(_ charset: Charset?) {
        let isUsed = charset != .utf8 && charset != .replacement && charset?.unitByteCount == 1
        self.charset = isUsed ? charset : nil
    }

    /// Creates a converter for a form: its charset is what its Content-Type declares, or else the
    /// value of its field `_charset_` (HTML §4.10.21.8).
    public init(ofForm bytes: Span<UInt8>, declaredCharset label: String?) {
        self.init(declaredCharset: label, charsetField: ByteText.charsetField(bytes))
    }

    /// Creates a converter for a multipart form: its charset is what its Content-Type declares, or
    /// else the value of its field `_charset_` (RFC 7578 §4.6), wherever that is.
    public init(ofParts bytes: Span<UInt8>, boundary: [UInt8], declaredCharset label: String?) {
        self.init(
            declaredCharset: label,
            charsetField: MultipartCharsetField.value(in: bytes, boundary: boundary))
    }

    /// Creates a converter for the content of a part of a multipart form: the charset is that of
    /// the part, which may be UTF-16 or UTF-32, or else of the form.
    public init(of part: MultipartPartHead, in form: ByteText) {
        self.init(ofPart: part.contentType, in: form)
    }

    /// Creates a converter for the content of a part with this Content-Type.
    public init(ofPart contentType: String?, in form: ByteText) {
        let label = contentType.flatMap { MediaType($0) }?.charset
        guard let own = label.flatMap({ Charset(label: $0) }), own != .replacement else {
            self = form
            return
        }
        charset = own == .utf8 ? nil : own
    }

    public static let charsetFieldName = "_charset_"

    private static func charsetField(_ bytes: Span<UInt8>) -> String? {
        var scanner = PairScanner()
        var percent = PercentDecoder(text: ByteText(), plusIsSpace: true)
        let nameByteCounts = charsetFieldName.utf8.count...3 * charsetFieldName.utf8.count
        while let pair = scanner.next(in: bytes) {
            guard let value = pair.value, nameByteCounts.contains(pair.name.count),
                percent.decodedText(bytes, pair.name) == charsetFieldName
            else { continue }
            return percent.decodedText(bytes, value)
        }
        return nil
    }

    public func text(_ bytes: Span<UInt8>) -> String { reading(bytes).text }

    /// Decodes bytes as text, and reports how.
    public func reading(_ bytes: Span<UInt8>) -> (text: String, origin: TextOrigin) {
        if let charset, isWide || ByteText.dependsOnCharset(bytes) {
            let decoded = isWide ? wide(charset, bytes).decode(bytes) : charset.decode(bytes)
            if !decoded.isLossy { return (decoded.text, .declaredCharset) }
        }
        if let span = try? UTF8Span(validating: bytes) { return (String(copying: span), .utf8) }
        return (Charset.windows1252.decode(bytes).text, .undecodable)
    }

    private var isWide: Bool { charset.map { $0.unitByteCount > 1 } ?? false }

    /// A byte order mark takes precedence over a label.
    private func wide(_ charset: Charset, _ bytes: Span<UInt8>) -> TextCharset {
        TextCharset(of: bytes, label: charset.rawValue)
    }

    /// Whether there are bytes that are not those of ASCII in every charset: an escape begins a set
    /// of characters in ISO-2022-JP.
    private static func dependsOnCharset(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where bytes[index] >= 0x80 || bytes[index] == 0x1B {
            return true
        }
        return false
    }

    /// The bytes of a text in place of others, whose byte order mark stays.
    func bytes(of text: String, inPlaceOf former: [UInt8]) -> [UInt8] {
        guard isWide, let charset else { return bytes(of: text) }
        let known = wide(charset, former.span)
        let edited = try? known.encode(Array(text.utf8), inPlaceOf: former)
        return edited ?? bytes(of: text)
    }

    /// The bytes of a text for a form: a character that the charset lacks becomes a numeric
    /// character reference, as browsers write it (WHATWG Encoding §4.2, "encode or fail").
    public func bytes(of text: String) -> [UInt8] {
        guard let charset else { return Array(text.utf8) }
        if let bytes = try? charset.encode(text) { return bytes }
        let text = text.unicodeScalars.map { character in
            let own = String(character)
            return (try? charset.encode(own)) == nil ? "&#\(character.value);" : own
        }
        return (try? charset.encode(text.joined())) ?? []
    }
}

public enum TextOrigin: Sendable, Hashable {
    /// UTF-8, which includes ASCII.
    case utf8
    case declaredCharset
    /// Neither: the text shows each byte as its character in Windows-1252, which is a guess.
    case undecodable
}

/// Byte classes that the decoders share, without locale, Unicode or allocation.
package enum Byte {
    /// Converts A–Z to a–z and leaves every other byte unchanged.
    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// SP or HTAB.
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The white space of JSON: SP, HTAB, LF, CR (RFC 8259 §2).
    package static func isJSONWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// A character of an HTTP token (RFC 9110 §5.6.2).
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    /// The upper-case hexadecimal digit of a value below 16.
    static func hexDigit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x37) }

    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte &- 0x30
        case 0x41...0x46: byte &- 0x37
        case 0x61...0x66: byte &- 0x57
        default: nil
        }
    }
}
