/// The name and password curl answers a challenge with.
public struct CurlUser: Sendable, Hashable {
    /// The name; never redacted.
    public var name: String
    /// The password; redacted together with Authorization.
    public var password: String

    /// A user.
    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }
}
