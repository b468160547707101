/// What is known about a message's body.
public enum RuledBody: Sendable {
    /// Nothing yet: the evaluation can wait for it.
    case coming
    /// The complete body, with transfer coding removed.
    case whole([UInt8])
    /// It may never end, so the evaluation does not wait for it.
    case endless
    /// It is not held, and rules cannot see it; with the reason that is recorded.
    case passing(reason: String)

    /// The maximum size of a body that is held, in bytes.
    public static let byteCountMax = BodyEditor.byteCountMax

    /// The body is too large to be held.
    public static let tooLarge = RuledBody.passing(reason: EditResult.NotDone.tooLarge.reason)

    /// The complete body; nil if it is not known.
    var bytes: [UInt8]? {
        if case .whole(let bytes) = self { bytes } else { nil }
    }

    /// Whether it is not known yet, but can be waited for.
    var isComing: Bool {
        if case .coming = self { true } else { false }
    }

    /// Why rules can never see it; nil if they can, or might later.
    var unseen: EditResult.NotDone? {
        switch self {
        case .coming, .whole: nil
        case .endless: .eventStream
        case .passing(let reason): EditResult.NotDone(reason: reason)
        }
    }
}
