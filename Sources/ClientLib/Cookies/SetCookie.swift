internal import ProxydCivilTime
internal import ProxydHTTPModel

/// A parsed Set-Cookie line (RFC 6265bis §5.6).
struct SetCookie {
    private(set) var name: [UInt8] = []
    private(set) var value: [UInt8] = []
    /// The last Domain attribute without its leading dot, in lower case; nil if there is none.
    private(set) var domain: [UInt8]?
    /// The last valid Path attribute, or nil for the default.
    private(set) var path: [UInt8]?
    private(set) var expires: HTTPDate?
    private(set) var maxAgeSeconds: Int64?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: CookieSameSite?

    init(_ bytes: [UInt8], limits: CookieLimits) throws(CookieRefusal) {
        guard !bytes.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else {
            throw .controlCharacter
        }
        var parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let pair = parts.removeFirst()
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = trimmed(pair[..<equals])
            value = trimmed(pair[(equals + 1)...])
        } else {
            value = trimmed(pair)
        }
        guard !name.isEmpty || !value.isEmpty else { throw .empty }
        guard name.count + value.count <= limits.byteCountMax else { throw .tooLong }
        for part in parts { take(part, byteCountMax: limits.attributeByteCountMax) }
    }

    private mutating func take(_ part: ArraySlice<UInt8>, byteCountMax: Int) {
        let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
        let value = trimmed(part[equals...].dropFirst())
        guard value.count <= byteCountMax else { return }
        switch ASCII.text(trimmed(part[..<equals]).map(ASCII.lowercased)) {
        case "expires":
            if let seconds = CookieDateReader.secondsSinceEpoch(value) {
                expires = HTTPDate(secondsSinceEpoch: seconds)
            }
        case "max-age": if let seconds = SetCookie.seconds(value) { maxAgeSeconds = seconds }
        case "domain":
            let isDotted = value.first == UInt8(ascii: ".")
            domain = value.dropFirst(isDotted ? 1 : 0).map(ASCII.lowercased)
        case "path": path = value.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite":
            let text = ASCII.text(value.map(ASCII.lowercased))
            sameSite = CookieSameSite.allCases.first { $0.rawValue.lowercased() == text }
        default: break
        }
    }

    /// The number of seconds, with an optional minus sign; nil for anything else.
    private static func seconds(_ bytes: [UInt8]) -> Int64? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = bytes.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        if isNegative { return 0 }
        return Int64(String(decoding: digits, as: UTF8.self)) ?? .max
    }

    /// Whether the name, or the value of a cookie without a name, starts with a prefix; ignores
    /// case.
    func hasPrefix(_ prefix: String) -> Bool {
        (name.isEmpty ? value : name).map(ASCII.lowercased)
            .starts(with: prefix.utf8.map(ASCII.lowercased))
    }
}

/// The text without white space at the start and end.
private func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let all = Array(bytes)
    return Array(all[ASCII.trimmingOWS(all.span, 0..<all.count)])
}
