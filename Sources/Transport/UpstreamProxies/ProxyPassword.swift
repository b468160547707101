internal import FoundationEssentials

/// A name and a password for a proxy. Its descriptions do not contain the password.
public struct ProxyPassword: Sendable, Hashable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    /// The user name.
    public let user: String
    /// The password, in plain text.
    public let password: String

    /// Creates a name and a password.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// The name without the password.
    public var description: String { "ProxyPassword(user: \(user))" }

    /// The same, because debug descriptions end up in logs too.
    public var debugDescription: String { description }

    /// The value of `Proxy-Authorization` (RFC 7617 §2); nil if the name has a colon or either has
    /// a control character, which Basic authentication cannot represent.
    var basicValue: [UInt8]? {
        let isPrintable = (user + password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isPrintable, !user.utf8.contains(UInt8(ascii: ":")) else { return nil }
        return Array("Basic ".utf8) + Data("\(user):\(password)".utf8).base64EncodedData()
    }
}
