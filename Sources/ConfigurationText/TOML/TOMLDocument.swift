/// A TOML text, read.
public struct TOMLDocument: Sendable {
    /// How deep tables and arrays may nest: what reads or frees a tree calls itself for each level.
    public static let depthMax = 64

    /// What stands at the top.
    public let root: TOMLTable

    /// Reads a text.
    /// - Throws: the first mistake in its syntax. What stands behind it cannot be told.
    public init(_ text: String) throws(TOMLSyntaxError) {
        if let nul = text.utf8.firstIndex(of: 0) {
            let line = text.utf8[..<nul].count { $0 == UInt8(ascii: "\n") } + 1
            throw TOMLSyntaxError("the file holds a NUL character", at: line)
        }
        root = try TOMLReader.read(text)
    }

    /// Where a key of a path stands, or the last table on the way to it that there is.
    public func position(of path: [String]) -> TextPosition {
        var position = TextPosition.start
        var table: TOMLTable? = root
        for name in path {
            guard let member = table?[name] else { break }
            position = member.position
            table = member.node.table
        }
        return position
    }
}
