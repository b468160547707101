/// Reports the state of daemon and store.
public protocol Inspecting: Sendable {
    /// Returns the current facts. May take a while; called off the drawing thread.
    func facts() -> StatusFacts
}

/// Controls a running daemon.
public protocol Steering: Sendable {
    /// Pauses or resumes recording. Throws an error message for the user.
    func setRecording(_ isOn: Bool) throws
    /// Toggles TLS interception of a host for its next connections; returns whether they are
    /// intercepted then. Throws an error message for the user.
    func toggleInterception(ofHost host: String, port: UInt16) throws -> Bool
}
