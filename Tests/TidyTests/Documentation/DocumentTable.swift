import Foundation

/// The rows of a document's tables, as cells without the white space around them.
enum DocumentTable {
    /// The rows whose first cell is an identifier such as `A01`, `T7` or `12`.
    static func rows(of document: String, where isIdentifier: (String) -> Bool) throws -> [[String]]
    {
        let text = try String(
            contentsOf: SourceFile.root.appending(path: document), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells.first.map(isIdentifier) == true ? cells : nil
        }
    }
}
