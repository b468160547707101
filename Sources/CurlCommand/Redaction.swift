internal import ProxydHTTPModel

/// Which values of a request or response are secrets that exports and descriptions do not show.
public struct Redaction: Sendable, Hashable {
    /// The replacement for a secret; it needs no escaping in a URL, a form or a field.
    public static let placeholder = "REDACTED"

    /// Fields whose values are secrets, in lower case.
    public var fieldNames: Set<String>
    /// Query and form parameters whose values are secrets, in lower case, not percent-encoded.
    public var parameterNames: Set<String>

    /// Fields that carry credentials or sessions by definition or by common use.
    public static let defaultFieldNames: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "authentication-info",
        "proxy-authentication-info", "x-api-key", "x-auth-token", "x-csrf-token",
        "x-amz-security-token",
    ]
    /// Parameters that carry credentials by common use.
    public static let defaultParameterNames: Set<String> = [
        "access_token", "api_key", "apikey", "auth_token", "client_secret", "id_token", "passwd",
        "password", "refresh_token", "secret", "sig", "signature", "token", "x-amz-credential",
        "x-amz-security-token", "x-amz-signature",
    ]

    /// Creates a redaction of these names; case is ignored.
    public init(
        fieldNames: Set<String> = Redaction.defaultFieldNames,
        parameterNames: Set<String> = Redaction.defaultParameterNames
    ) {
        self.fieldNames = Set(fieldNames.map(Redaction.lowercased))
        self.parameterNames = Set(parameterNames.map(Redaction.lowercased))
    }

    /// Whether the values of a field are secrets.
    public func hidesField(named name: String) -> Bool {
        fieldNames.contains(Redaction.lowercased(name))
    }

    /// Whether the values of a parameter are secrets; the name is decoded.
    public func hidesParameter(named name: String) -> Bool {
        parameterNames.contains(Redaction.lowercased(name))
    }

    /// Returns a redacted field value. The authentication scheme is kept, because it is not secret
    /// and is useful.
    public func value(_ value: [UInt8], ofField name: String) -> [UInt8] {
        guard hidesField(named: name), !value.isEmpty else { return value }
        let placeholder = Array(Redaction.placeholder.utf8)
        let isCredentials = Redaction.lowercased(name).hasSuffix("authorization")
        guard isCredentials, let space = value.firstIndex(of: 0x20) else { return placeholder }
        return value[...space] + placeholder
    }

    /// Returns a redacted query or form: the values of secret parameters are replaced, and all
    /// other bytes are unchanged.
    public func pairs(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        for (index, pair) in bytes.split(separator: 0x26, omittingEmptySubsequences: false)
            .enumerated()
        {
            if index > 0 { shown.append(0x26) }
            guard let equals = pair.firstIndex(of: 0x3D),
                hidesParameter(named: Redaction.decoded(pair[..<equals]))
            else {
                shown.append(contentsOf: pair)
                continue
            }
            shown.append(contentsOf: pair[...equals])
            shown.append(contentsOf: Redaction.placeholder.utf8)
        }
        return shown
    }

    /// Returns a redacted request target: its query is redacted, and user names and passwords in
    /// URLs (RFC 3986 §3.2.1) are replaced. The target may be a text that is not a URL.
    public func target(_ bytes: [UInt8]) -> [UInt8] {
        guard let mark = bytes.firstIndex(of: 0x3F) else {
            return UserInfo.redacted(bytes[...])
        }
        let query = pairs(bytes[(mark + 1)...])
            .split(separator: 0x26, omittingEmptySubsequences: false)
            .map(UserInfo.redacted)
        return UserInfo.redacted(bytes[..<mark]) + [0x3F] + query.joined(separator: [0x26])
    }

    private static func lowercased(_ name: String) -> String {
        String(decoding: name.utf8.map(ASCII.lowercased), as: UTF8.self)
    }

    /// A name without percent-encoding and plus signs, for comparison only.
    private static func decoded(_ bytes: some Collection<UInt8>) -> String {
        var name: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                name.append(UInt8(truncatingIfNeeded: digits[0] << 4 | digits[1]))
                rest.removeFirst(2)
            } else {
                name.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return ASCII.text(name)
    }
}
