package import ProxydPresentation

/// Actions outside the viewer, provided by the program. Actions that are nil are unavailable.
public struct HostActions: Sendable {
    /// Writes notes, tags and pins.
    public var annotating: (any Annotating)?
    /// Deletes exchanges.
    public var deleting: (any Deleting)?
    /// Sends exchanges again.
    public var replaying: (any Replaying)?
    /// Whether what is sent is recorded in the data directory, and another store is read.
    public var recordsElsewhere = false
    /// Writes exchanges to files.
    public var exporting: (any Exporting)?
    /// Reports the state of daemon and store.
    public var inspecting: (any Inspecting)?
    /// Reads and changes rules.
    public var ruling: (any Ruling)?
    /// Pauses and resumes recording.
    public var steering: (any Steering)?

    /// Handles messages that rules hold.
    public var holding: (any Holding)?

    /// Decodes a certificate, or returns nil if the bytes are not one.
    package var certificates: (@Sendable (_ der: [UInt8]) -> CertificateFacts?)?

    /// Creates a set without any actions.
    public init() {}
}
