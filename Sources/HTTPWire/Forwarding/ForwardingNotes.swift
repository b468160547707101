/// How a forwarded head differs from the one that arrived.
public struct ForwardingNotes: OptionSet, Sendable, Hashable {
    /// The notes as bits.
    public let rawValue: UInt8

    /// Creates a set from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It differs in more than framing, connection fields, the version and the form of the target:
    /// another Host, a fragment that was dropped, or an added line.
    public static let differs = ForwardingNotes(rawValue: 1)
    /// It contains the client's Host although the absolute target names another host.
    public static let keepsForeignHost = ForwardingNotes(rawValue: 2)
}
