/// Why an entry of a file was not imported. The text never contains data from the entry.
public struct ImportProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place of the entry: `entry 17`, `line 3`; nil for the file as a whole.
    public var place: String?
    /// A description of the problem.
    public let message: String

    /// Whether the file itself is damaged here, so that exchanges may be missing.
    public let isDamage: Bool

    /// Whether the exchange passed on last is not whole: the file ends within its messages.
    public var abandonsLast = false

    /// Creates a problem with a description and an optional place.
    init(_ message: String, place: String? = nil, isDamage: Bool = false) {
        self.message = message
        self.place = place
        self.isDamage = isDamage
    }

    /// `entry 17: it has no URL`.
    public var description: String { place.map { "\($0): \(message)" } ?? message }
}
