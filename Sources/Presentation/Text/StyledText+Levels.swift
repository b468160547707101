extension StyledText {
    /// The number of columns per level of indented text.
    package static let indentColumnCount = 2
    /// The maximum number of levels that are indented; deeper lines stay at this one.
    private static let indentLevelCountMax = 40

    /// Appends indentation for a level; very deep levels stay on the screen.
    package mutating func appendLevel(_ depth: Int) {
        appendIndent(min(depth, StyledText.indentLevelCountMax) * StyledText.indentColumnCount)
    }
}
