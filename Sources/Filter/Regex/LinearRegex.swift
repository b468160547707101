internal import Synchronization

/// A regular expression whose search takes time linear in the text, whatever the expression and
/// the text: Swift's own engine backtracks, and captured text is hostile.
package final class LinearRegex: Sendable {
    /// The pattern as written.
    package let pattern: String
    /// What every matching text begins with, where the pattern says so (`^api\.`); never empty.
    package let literalPrefix: String?
    private let automaton: Mutex<RegexAutomaton>

    /// - Parameters:
    ///   - ignoresCase: Whether ASCII letters match in both cases, as with `(?i)`.
    ///   - isForBodies: Whether `.` also takes line ends and octets that are not UTF-8.
    /// - Throws: what is wrong with the pattern, and where.
    package convenience init(_ pattern: String, ignoresCase: Bool, isForBodies: Bool)
        throws(RegexError)
    {
        let flags = RegexParser.Flags(ignoresCase: ignoresCase, dotTakesNewline: isForBodies)
        let node = try RegexParser.parse(pattern, flags: flags).node
        let program = try RegexProgram(node, takesStrayOctets: isForBodies)
        self.init(pattern, literalPrefix: node.literalPrefix, program)
    }

    /// One that is compiled already.
    init(_ pattern: String, literalPrefix: String?, _ program: RegexProgram) {
        self.pattern = pattern
        self.literalPrefix = literalPrefix
        automaton = Mutex(RegexAutomaton(program))
    }

    /// Whether it matches anywhere in the text's octets.
    package func matches(_ text: Span<UInt8>) -> Bool {
        automaton.withLock { $0.matches(text) }
    }
}
