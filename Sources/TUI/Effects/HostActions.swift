package import ProxydPresentation

/// What acts on the world; the program brings it. What it does not bring cannot be done.
public struct HostActions: Sendable {
    /// Writes notes, tags and pins.
    public var annotating: (any Annotating)?
    /// Deletes exchanges.
    public var deleting: (any Deleting)?
    /// Sends exchanges again.
    public var replaying: (any Replaying)?
    /// Writes exchanges into files.
    public var exporting: (any Exporting)?
    /// Tells how daemon and store are.
    public var inspecting: (any Inspecting)?
    /// Reads and changes rules.
    public var ruling: (any Ruling)?
    /// Stops and resumes recording.
    public var steering: (any Steering)?

    /// Takes what rules hold.
    public var holding: (any Holding)?

    /// Describes a certificate; nil for bytes that are none.
    package var certificates: (@Sendable (_ der: [UInt8]) -> CertificateFacts?)?

    /// A world that nothing can be done to.
    public init() {}
}
