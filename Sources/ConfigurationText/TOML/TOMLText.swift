/// The text of a TOML string, with the positions of its parts in the file.
public struct TOMLText: Sendable {
    /// The text without quotes and with escapes resolved.
    public let text: String
    /// The position before the opening quotes.
    private let start: TOMLCursor

    init(_ text: String, from start: TOMLCursor) {
        self.text = text
        self.start = start
    }

    /// The position of the opening quotes.
    public var position: TextPosition { start.position }

    /// The position in the file of a column of the text, so that a mistake within a filter or an
    /// expression can be located.
    /// - Parameter column: counts the text's Unicode scalars from 1; beyond the end, the result is
    ///   the position of the closing quotes.
    public func position(ofColumn column: Int) -> TextPosition {
        guard var scanner = try? TOMLStringScanner(at: start) else { return position }
        var left = column
        while left > 1, (try? scanner.next()) != nil { left -= 1 }
        scanner.skipLineEndings()
        return scanner.cursor.position
    }
}
