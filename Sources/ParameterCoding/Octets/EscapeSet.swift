/// Which octets stay as they are when text is percent-encoded (RFC 3986 §2.1); all others become
/// `%` and two upper-case hexadecimal digits. Octets outside ASCII are always escaped.
public struct EscapeSet: Sendable, Hashable {
    /// RFC 3986's unreserved characters plus `/` and `?`, which a query may hold as they are
    /// (§3.4): 68 characters.
    public static let rfc3986 = EscapeSet.strict.keeping("/?")
    /// RFC 3986's unreserved characters only (§2.3): 66 characters.
    public static let strict = EscapeSet(keeping: alphanumerics + "-._~")
    /// The application/x-www-form-urlencoded percent-encode set (WHATWG URL §1.3). A space is
    /// `+` there: see `URLEncoding.SpaceEncoding`.
    public static let whatwgForm = EscapeSet(keeping: alphanumerics + "*-._")
    /// What a browser leaves alone in the query of an http or https URL (WHATWG URL §1.3, the
    /// special-query percent-encode set). It keeps `&`, `=`, `+` and `%`: for whole queries.
    public static let whatwgQuery = EscapeSet(
        keeping: alphanumerics + "-._~!$%&()*+,/:;=?@[\\]^`{|}")
    /// What the grammar of a query allows (RFC 3986 §3.4), and `%`: for whole queries.
    public static let rfc3986Query = EscapeSet(keeping: alphanumerics + "-._~!$&'()*+,;=:@/?%")

    private static let alphanumerics =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let hexDigits: [UInt8] = Array("0123456789ABCDEF".utf8)

    /// One bit for each ASCII character that stays as it is.
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// A set that keeps the given ASCII characters; others cannot be kept and are passed over.
    public init(keeping characters: String) {
        for octet in characters.utf8 { set(octet, isKept: true) }
    }

    /// This set, keeping the given ASCII characters, too.
    public func keeping(_ characters: String) -> EscapeSet {
        var changed = self
        for octet in characters.utf8 { changed.set(octet, isKept: true) }
        return changed
    }

    /// This set, escaping the given characters, too.
    public func escaping(_ characters: String) -> EscapeSet {
        var changed = self
        for octet in characters.utf8 { changed.set(octet, isKept: false) }
        return changed
    }

    /// Whether an octet stays as it is.
    public func keeps(_ octet: UInt8) -> Bool {
        guard octet < 0x80 else { return false }
        let half = octet < 0x40 ? low : high
        return half >> UInt64(octet & 0x3F) & 1 == 1
    }

    /// The octets, percent-encoded.
    public func encoded(_ octets: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        append(octets.span, spaceIsPlus: false, to: &encoded)
        return encoded
    }

    /// The UTF-8 of a text, percent-encoded.
    public func encoded(_ text: String) -> String {
        String(decoding: encoded(Array(text.utf8)), as: UTF8.self)
    }

    private mutating func set(_ octet: UInt8, isKept: Bool) {
        guard octet < 0x80 else { return }
        let bit: UInt64 = 1 << UInt64(octet & 0x3F)
        switch (octet < 0x40, isKept) {
        case (true, true): low |= bit
        case (true, false): low &= ~bit
        case (false, true): high |= bit
        case (false, false): high &= ~bit
        }
    }

    /// Appends the octets, percent-encoded: what is kept in runs, not octet by octet.
    func append(_ octets: Span<UInt8>, spaceIsPlus: Bool, to output: inout [UInt8]) {
        var runStart = 0
        var index = 0
        while index < octets.count {
            let octet = octets[index]
            if keeps(octet) {
                index &+= 1
                continue
            }
            octets.extracting(runStart..<index).withUnsafeBufferPointer {
                output.append(contentsOf: $0)
            }
            if octet == 0x20, spaceIsPlus {
                output.append(0x2B)
            } else {
                output.append(0x25)
                output.append(EscapeSet.hexDigits[Int(octet >> 4)])
                output.append(EscapeSet.hexDigits[Int(octet & 0x0F)])
            }
            index &+= 1
            runStart = index
        }
        octets.extracting(runStart..<index).withUnsafeBufferPointer {
            output.append(contentsOf: $0)
        }
    }
}
