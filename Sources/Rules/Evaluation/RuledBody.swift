/// What is known of a message's body.
public enum RuledBody: Sendable {
    /// Nothing yet: it can be waited for.
    case coming
    /// All of it, after transfer-coding.
    case whole([UInt8])
    /// It is not held back: rules see nothing of it. Why, as it is recorded.
    case passing(reason: String)

    /// The most bytes of a body that are held back.
    public static let byteCountMax = BodyEditor.byteCountMax

    /// It has more bytes than are held back.
    public static let tooLarge = RuledBody.passing(reason: EditResult.NotDone.tooLarge.rawValue)
    /// It may never end.
    static let eventStream = RuledBody.passing(reason: EditResult.NotDone.eventStream.rawValue)

    /// All of it; nil where it is not known.
    var octets: [UInt8]? {
        if case .whole(let octets) = self { octets } else { nil }
    }
}
