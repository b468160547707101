internal import ProxydParameterCoding

/// The revisions of the Model Context Protocol, in two eras: since 2026-07-28 each request states
/// its version, and nothing is remembered between requests; before, `initialize` negotiated one.
enum ProtocolVersion {
    static let current = "2026-07-28"
    /// The versions that `initialize` can agree on, newest first.
    static let negotiated = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// All versions, newest first.
    static let all = [current] + negotiated

    /// The version for a client that asked for one with `initialize`.
    static func negotiated(for wanted: String?) -> String {
        wanted.flatMap { negotiated.contains($0) ? $0 : nil } ?? negotiated[0]
    }
}

/// The keys of `_meta` that the protocol defines.
enum MetaKey {
    static let protocolVersion = "io.modelcontextprotocol/protocolVersion"
    static let clientCapabilities = "io.modelcontextprotocol/clientCapabilities"
    static let serverInfo = "io.modelcontextprotocol/serverInfo"
}
