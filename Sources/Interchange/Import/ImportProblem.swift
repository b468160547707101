/// Why an entry of a file was not imported. The words never hold what the entry holds.
public struct ImportProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where: `entry 17`, `line 3`; nil for the file as a whole.
    public var place: String?
    /// What is wrong, in words.
    public let message: String

    /// A problem.
    init(_ message: String, place: String? = nil) {
        self.message = message
        self.place = place
    }

    /// `entry 17: it has no URL`.
    public var description: String { place.map { "\($0): \(message)" } ?? message }
}
