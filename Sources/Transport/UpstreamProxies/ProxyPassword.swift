internal import Foundation

/// A name and a password for a proxy. Its descriptions hold no secret.
public struct ProxyPassword: Sendable, Hashable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    /// The name.
    public let user: String
    /// The password.
    public let password: String

    /// A name and a password.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Who, but not the proof.
    public var description: String { "ProxyPassword(user: \(user))" }

    /// The same: a debugger's view ends in logs too.
    public var debugDescription: String { description }

    /// The value of `Proxy-Authorization` (RFC 7617 §2); nil where the name has a colon or either
    /// has a control character, which Basic cannot say.
    var basicValue: [UInt8]? {
        let isPrintable = (user + password).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isPrintable, !user.utf8.contains(UInt8(ascii: ":")) else { return nil }
        return Array("Basic ".utf8) + Data("\(user):\(password)".utf8).base64EncodedData()
    }
}
