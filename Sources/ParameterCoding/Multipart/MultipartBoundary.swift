/// The boundary of a multipart body (RFC 2046 §5.1.1): 1 to 70 characters.
public struct MultipartBoundary: Sendable, Hashable {
    /// The characters of generated boundaries, none of which requires quoting in a field value.
    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// 24 of 62 characters are 142 random bits: no content contains them by accident.
    private static let randomCharacterCount = 24
    private static let byteCountMax = 70

    /// The boundary without its dashes; ASCII.
    public let text: String
    /// Whether it was generated randomly, so that contents need not be searched for it.
    let isRandom: Bool

    /// Creates a boundary from a text.
    /// - Throws: `.badBoundary` for what RFC 2046 does not allow: an empty text, more than 70
    ///   characters, other characters than letters, digits, `'()+_,-./:=?` and spaces, or a space
    ///   at the end.
    public init(_ text: String) throws(MultipartEncodingError) {
        let bytes = text.utf8
        guard (1...MultipartBoundary.byteCountMax).contains(bytes.count), bytes.last != 0x20,
            bytes.allSatisfy({ MultipartBoundary.isAllowed($0) })
        else { throw .badBoundary }
        self.text = text
        isRandom = false
    }

    private init(randomText: String) {
        text = randomText
        isRandom = true
    }

    /// A random boundary from the system's generator, unique for practical purposes.
    public static func random() -> MultipartBoundary {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A random boundary from the given generator.
    public static func random(
        using generator: inout some RandomNumberGenerator
    ) -> MultipartBoundary {
        let bytes = (0..<randomCharacterCount).map { _ in
            alphabet[Int.random(in: alphabet.indices, using: &generator)]
        }
        return MultipartBoundary(
            randomText: "FormBoundary" + String(decoding: bytes, as: UTF8.self))
    }

    /// The boundary as a parameter of Content-Type: quoted if it is not a token.
    var parameterText: String {
        text.utf8.allSatisfy { Byte.isToken($0) } ? text : "\"\(text)\""
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x20, 0x27...0x29, 0x2B...0x2F, 0x3A, 0x3D, 0x3F, 0x5F: true
        default: false
        }
    }
}
