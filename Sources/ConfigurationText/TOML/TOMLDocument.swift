/// A parsed TOML text.
public struct TOMLDocument: Sendable {
    /// The maximum nesting of tables and arrays: reading and freeing the tree is recursive.
    public static let depthMax = 64

    /// The top-level table.
    public let root: TOMLTable

    /// Parses a text.
    /// - Throws: the first syntax error; the text after it is not checked.
    public init(_ text: String) throws(TOMLSyntaxError) {
        if let nul = text.utf8.firstIndex(of: 0) {
            let line = text.utf8[..<nul].count { $0 == UInt8(ascii: "\n") } + 1
            throw TOMLSyntaxError("the file contains a NUL character", at: line)
        }
        root = try TOMLReader.read(text)
    }

    /// The position of the key with this path, or of the last existing table on the path.
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
