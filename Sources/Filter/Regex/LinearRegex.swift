internal import Synchronization

/// A regular expression whose search takes time linear in the text, whatever the expression and the
/// text: Swift's own engine backtracks, and captured text is untrusted.
package final class LinearRegex: Sendable {
    /// The pattern as written.
    package let pattern: String
    /// The literal text with which every match starts, or nil if the pattern does not imply one
    /// (`^api\.` does); never empty.
    package let literalPrefix: String?
    private let automaton: Mutex<RegexAutomaton>

    /// - Parameters:
    ///   - ignoresCase: Whether ASCII letters match in both cases, as with `(?i)`.
    ///   - isForBodies: Whether `.` also matches line ends and bytes that are not UTF-8.
    /// - Throws: the error in the pattern, and its position.
    package convenience init(_ pattern: String, ignoresCase: Bool, isForBodies: Bool)
        throws(RegexError)
    {
        let flags = RegexParser.Flags(ignoresCase: ignoresCase, dotTakesNewline: isForBodies)
        let node = try RegexParser.parse(pattern, flags: flags).node
        let program = try RegexProgram(node, takesStrayBytes: isForBodies)
        self.init(pattern, literalPrefix: node.literalPrefix, program)
    }

    /// Creates an expression from a compiled program.
    init(_ pattern: String, literalPrefix: String?, _ program: RegexProgram) {
        self.pattern = pattern
        self.literalPrefix = literalPrefix
        automaton = Mutex(RegexAutomaton(program))
    }

    /// Whether the expression matches anywhere in the text's bytes.
    package func matches(_ text: Span<UInt8>) -> Bool {
        automaton.withLock { $0.matches(text) }
    }
}
