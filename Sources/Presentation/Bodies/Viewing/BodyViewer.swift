/// Shows a body in one form, as lines that are rendered on request.
///
/// A viewer examines the available bytes, and finds more lines when it is advanced; it never waits.
package protocol BodyViewer: Sendable {
    /// The name for users, in lower case; unique.
    static var name: String { get }
    /// Whether it reads the bytes of any charset; the others are given UTF-8.
    static var readsAnyCharset: Bool { get }
    /// How well the viewer suits a body, from 0 (not at all) to 100 (made for it).
    static func fitness(for facts: BodyFacts) -> Int

    /// Creates a viewer of a body.
    init(_ facts: BodyFacts, _ source: any BodySource)

    /// The number of lines found so far.
    var lineCount: Int { get }
    /// Whether these are all lines of the available body.
    var isComplete: Bool { get }
    /// The number of bytes examined to find them.
    var indexedByteCount: Int { get }
    /// A remark on the whole body, such as a charset or a number of parts, or nil.
    var remark: String? { get }

    /// Finds more lines; examines about `byteBudget` bytes at most.
    mutating func advance(byteBudget: Int)
    /// Returns the lines in a range that have been found so far.
    func lines(_ range: Range<Int>) -> [StyledText]

    /// The offset at which a line starts in the body, or nil if it shows no bytes of it.
    func offset(ofLine line: Int) -> Int?
    /// The line that shows the byte at an offset, or nil if it was not found yet.
    func line(atOffset offset: Int) -> Int?

    /// Folds or unfolds what starts on a line; returns false if nothing does.
    mutating func toggleFold(atLine line: Int) -> Bool
    /// Folds everything deeper than a number of levels; nil unfolds everything. Returns false if
    /// the viewer does not fold.
    mutating func setFoldDepth(_ depth: Int?) -> Bool

    /// The nested body that a line belongs to, if any.
    func nestedBody(atLine line: Int) -> NestedBody?
}

/// A body inside a body, to be viewed separately.
package struct NestedBody: Sendable {
    /// The title among the parts.
    package let title: String
    package let facts: BodyFacts
    package let source: any BodySource
}

extension BodyViewer {
    package static var readsAnyCharset: Bool { true }
    package var remark: String? { nil }
    package mutating func toggleFold(atLine line: Int) -> Bool { false }
    package mutating func setFoldDepth(_ depth: Int?) -> Bool { false }
    package func nestedBody(atLine line: Int) -> NestedBody? { nil }
}
