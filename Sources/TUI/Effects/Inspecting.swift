/// Tells how daemon and store are.
public protocol Inspecting: Sendable {
    /// What is known now. May take a while; called off the drawing thread.
    func facts() -> StatusFacts
}

/// Steers a running daemon.
public protocol Steering: Sendable {
    /// Stops or resumes recording. Throws what a person is told.
    func setRecording(_ isOn: Bool) throws
    /// Opens TLS to a host that passes unread, or the other way round, for its next connections;
    /// whether it is opened then. Throws what a person is told.
    func toggleInterception(ofHost host: String, port: UInt16) throws -> Bool
}
