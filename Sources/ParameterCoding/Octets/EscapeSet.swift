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

    /// What `filename*` and the like need not escape (RFC 8187 §3.2.1, `attr-char`).
    static let extendedValue = EscapeSet(keeping: alphanumerics + "!#$&+-.^_`|~")

    private static let alphanumerics =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

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

    /// Appends the octets, percent-encoded. The room they take is known before they are written.
    func append(_ octets: Span<UInt8>, spaceIsPlus: Bool, to output: inout [UInt8]) {
        var escapeCount = 0
        for index in octets.indices where !keeps(octets[index]) {
            if octets[index] != 0x20 || !spaceIsPlus { escapeCount &+= 1 }
        }
        var place = output.count
        output.append(contentsOf: repeatElement(0, count: octets.count + 2 * escapeCount))
        var room = output.mutableSpan
        for index in octets.indices {
            let octet = octets[index]
            if keeps(octet) {
                room[place] = octet
            } else if octet == 0x20, spaceIsPlus {
                room[place] = 0x2B
            } else {
                room[place] = 0x25
                room[place &+ 1] = Octet.hexDigit(octet >> 4)
                room[place &+ 2] = Octet.hexDigit(octet & 0x0F)
                place &+= 2
            }
            place &+= 1
        }
    }
}
