/// A TOML string: its text, and where each part of it stands in the file.
public struct TOMLText: Sendable {
    /// The text, without quotes and with its escapes undone.
    public let text: String
    /// Just before the opening quotes.
    private let start: TOMLCursor

    init(_ text: String, from start: TOMLCursor) {
        self.text = text
        self.start = start
    }

    /// Where the opening quotes stand.
    public var position: TextPosition { start.position }

    /// Where in the file a column of the text stands, so that a mistake within a filter or an
    /// expression can be pointed at.
    /// - Parameter column: counts the text's Unicode scalars from 1; one beyond its end is where
    ///   the closing quotes stand.
    public func position(ofColumn column: Int) -> TextPosition {
        guard var scanner = try? TOMLStringScanner(at: start) else { return position }
        var left = column
        while left > 1, (try? scanner.next()) != nil { left -= 1 }
        scanner.skipLineEndings()
        return scanner.cursor.position
    }
}
