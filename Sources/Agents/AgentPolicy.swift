public import ProxydOperations

/// What agents may see and do: by default, they read, and see no credentials.
public struct AgentPolicy: Sendable {
    /// Whether credentials are shown.
    public var showsSecrets = false
    /// Names of fields and parameters that are hidden besides those that always are.
    public var hiddenNames = HiddenNames()
    /// Whether SQL may be run; its results may show credentials despite the redaction.
    public var allowsSQL = false
    /// Whether a request may be sent again to a host and port; nil if none may.
    public var allowsReplay: (@Sendable (_ host: String, _ port: UInt16) -> Bool)?
    /// Whether notes, tags and pins may be changed.
    public var allowsAnnotations = false
    /// The directory that exports are written to; nil if agents may not export.
    public var exportDirectory: String?

    /// Creates the policy of a server that was given no permission.
    public init() {}
}
