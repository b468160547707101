/// Finds the line of a key in a TOML text that is known to parse.
///
/// TOMLKit gives positions for syntax errors only. This reads table headers and `key =` starts;
/// whatever stands inside a multi-line string or array is skipped.
struct ConfigurationLines {
    private var lineOfPath: [String: Int] = [:]

    /// Looks through a text.
    init(_ text: String) {
        var table: [String] = []
        var scanner = TOMLLineScanner()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            switch scanner.read(line) {
            case .table(let path):
                table = path
                note(path, line: index + 1)
            case .key(let path): note(table + path, line: index + 1)
            case .other: break
            }
        }
    }

    /// The line, counted from 1, of a key or, where it stands in an inline table, of that table.
    func line(of path: [String]) -> Int {
        for length in stride(from: path.count, through: 1, by: -1) {
            if let line = lineOfPath[Self.joined(path.prefix(length))] { return line }
        }
        return 1
    }

    private mutating func note(_ path: [String], line: Int) {
        // `a.b = 1` makes the table `a` as well.
        for length in path.indices {
            let key = Self.joined(path[...length])
            if lineOfPath[key] == nil { lineOfPath[key] = line }
        }
    }

    // The reader refuses a text with this character in it.
    private static func joined(_ path: ArraySlice<String>) -> String {
        path.joined(separator: "\u{0}")
    }
}
