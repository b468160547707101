extension StyledText {
    /// Columns of one level of an indented text.
    package static let indentColumnCount = 2
    /// Levels that are shown as columns; deeper lines stay at this one.
    private static let indentLevelCountMax = 40

    /// Indents by levels; very deep ones stay on the screen.
    package mutating func appendLevel(_ depth: Int) {
        appendIndent(min(depth, StyledText.indentLevelCountMax) * StyledText.indentColumnCount)
    }
}
