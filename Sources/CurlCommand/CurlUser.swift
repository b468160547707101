/// The name and password with which curl answers a challenge.
public struct CurlUser: Sendable, Hashable {
    /// The user name; never redacted.
    public var name: String
    /// The password; redacted together with Authorization.
    public var password: String

    /// Creates a user.
    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }
}
