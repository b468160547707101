/// How like the original a replay is.
public enum ReplayFidelity: String, Sendable, Hashable, CaseIterable {
    /// The head byte for byte as proxyd sent it to the server, and the body as captured.
    case bytes
    /// Host, framing and what was edited are made anew; nothing else changes.
    case semantic
}
