/// What is known of a message's body.
public enum RuledBody: Sendable {
    /// Nothing yet: it can be waited for.
    case coming
    /// All of it, after transfer-coding.
    case whole([UInt8])
    /// It may never end, so that it is not waited for.
    case endless
    /// It is not held back: rules see nothing of it. Why, as it is recorded.
    case passing(reason: String)

    /// The most bytes of a body that are held back.
    public static let byteCountMax = BodyEditor.byteCountMax

    /// It has more bytes than are held back.
    public static let tooLarge = RuledBody.passing(reason: EditResult.NotDone.tooLarge.reason)

    /// All of it; nil where it is not known.
    var octets: [UInt8]? {
        if case .whole(let octets) = self { octets } else { nil }
    }

    /// Whether it is not known yet, and can be waited for.
    var isComing: Bool {
        if case .coming = self { true } else { false }
    }

    /// Why rules see nothing of it, now and later; nil where they do, or may yet.
    var unseen: EditResult.NotDone? {
        switch self {
        case .coming, .whole: nil
        case .endless: .eventStream
        case .passing(let reason): EditResult.NotDone(reason: reason)
        }
    }
}
