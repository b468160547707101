/// What is worth knowing of a head that was written to be sent on.
public struct ForwardingNotes: OptionSet, Sendable, Hashable {
    /// The notes as bits.
    public let rawValue: UInt8

    /// Any notes.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It differs from what came in more than framing, fields for one connection, the version and
    /// the form of the target: another Host, a fragment that was dropped, a line of our own.
    public static let differs = ForwardingNotes(rawValue: 1)
    /// The client's Host stands in it although its absolute target names another host.
    public static let keepsForeignHost = ForwardingNotes(rawValue: 2)
}
