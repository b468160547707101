internal import Synchronization

/// A regular expression whose search takes time linear in the text, whatever the expression and
/// the text: Swift's own engine backtracks, and captured text is hostile.
package final class LinearRegex: Sendable {
    /// The pattern as written.
    let pattern: String
    /// What every matching text begins with, where the pattern says so (`^api\.`); never empty.
    package let literalPrefix: String?
    private let automaton: Mutex<RegexAutomaton>

    /// - Parameters:
    ///   - ignoresCase: Whether ASCII letters match in both cases, as with `(?i)`.
    ///   - isForBodies: Whether `.` also takes line ends and octets that are not UTF-8.
    init(_ pattern: String, ignoresCase: Bool, isForBodies: Bool) throws(RegexError) {
        self.pattern = pattern
        let flags = RegexParser.Flags(ignoresCase: ignoresCase, dotTakesNewline: isForBodies)
        let node = try RegexParser.parse(pattern, flags: flags)
        literalPrefix = node.literalPrefix
        let program = try RegexProgram(node, takesStrayOctets: isForBodies)
        automaton = Mutex(RegexAutomaton(program))
    }

    /// Whether it matches anywhere in the text's octets.
    func matches(_ text: Span<UInt8>) -> Bool {
        automaton.withLock { $0.matches(text) }
    }
}
