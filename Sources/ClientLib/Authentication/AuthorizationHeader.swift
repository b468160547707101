internal import FoundationEssentials

/// Formats credentials as header field values.
public enum AuthorizationHeader {
    /// `Basic` with name and password as UTF-8 in Base64 (RFC 7617 §2), or nil if the name contains
    /// a colon or either contains a control character, which Basic cannot represent.
    public static func basic(user: String, password: String) -> String? {
        guard !user.utf8.contains(UInt8(ascii: ":")), isPrintable(user), isPrintable(password)
        else { return nil }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// `Bearer` with a token (RFC 6750 §2.1), or nil if the token is not valid in a field.
    public static func bearer(token: String) -> String? {
        let isVisible = token.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
        return isVisible && !token.isEmpty ? "Bearer " + token : nil
    }

    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

/// The field that sends a name and a password without waiting for a challenge, or nil if Basic
/// cannot represent them (RFC 7617 §2).
public func authorizationHeader(user: String, password: String) -> (name: String, value: String)? {
    AuthorizationHeader.basic(user: user, password: password).map { ("Authorization", $0) }
}
