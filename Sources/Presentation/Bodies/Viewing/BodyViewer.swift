/// Shows a body in one way: as lines that are made when they are asked for.
///
/// A viewer looks at the octets that are known, and finds more lines when it is advanced; it
/// never waits.
package protocol BodyViewer: Sendable {
    /// What a person calls it, in lower case; unique.
    static var name: String { get }
    /// How well it suits a body: 0 not at all, 100 as if made for it.
    static func fitness(for facts: BodyFacts) -> Int

    /// A viewer of a body.
    init(_ facts: BodyFacts, _ source: any BodySource)

    /// Lines found so far.
    var lineCount: Int { get }
    /// Whether these are all, as far as the body is known.
    var isComplete: Bool { get }
    /// Octets that were looked at to find them.
    var indexedByteCount: Int { get }
    /// What there is to say about the whole: a charset, a number of parts; nil where nothing.
    var remark: String? { get }

    /// Finds more lines; looks at about `byteBudget` octets at most.
    mutating func advance(byteBudget: Int)
    /// Some of the lines found so far; as many as there are of them.
    func lines(_ range: Range<Int>) -> [StyledText]

    /// Where a line begins in the body; nil where it stands for no octets of it.
    func offset(ofLine line: Int) -> Int?
    /// The line that shows the octet at an offset; nil where it was not found yet.
    func line(atOffset offset: Int) -> Int?

    /// Folds or unfolds what a line begins; false where it begins nothing.
    mutating func toggleFold(atLine line: Int) -> Bool
    /// Folds everything deeper than so many levels; nil unfolds everything. False where nothing
    /// folds here.
    mutating func setFoldDepth(_ depth: Int?) -> Bool

    /// The body behind a line, where there is one: a part of this one.
    func nestedBody(atLine line: Int) -> NestedBody?
}

/// A body inside a body, to be viewed on its own.
package struct NestedBody: Sendable {
    /// What it is called among the parts.
    package let title: String
    package let facts: BodyFacts
    package let source: any BodySource
}

extension BodyViewer {
    package var remark: String? { nil }
    package mutating func toggleFold(atLine line: Int) -> Bool { false }
    package mutating func setFoldDepth(_ depth: Int?) -> Bool { false }
    package func nestedBody(atLine line: Int) -> NestedBody? { nil }
}
