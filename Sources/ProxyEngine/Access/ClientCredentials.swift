/// A name and a password that a client sent. Its descriptions do not contain the password.
public struct ClientCredentials: Sendable, Hashable, CustomStringConvertible,
    CustomDebugStringConvertible
{
    /// The user name, as it was sent.
    public let user: [UInt8]
    /// The password, as it was sent.
    public let password: [UInt8]

    /// Creates credentials.
    public init(user: [UInt8], password: [UInt8]) {
        self.user = user
        self.password = password
    }

    /// The user name as it is recorded.
    public var name: String { String(decoding: user, as: UTF8.self) }

    /// The name without the password.
    public var description: String { "ClientCredentials(user: \(name))" }

    /// The same, because debug descriptions end up in logs too.
    public var debugDescription: String { description }
}
