import Foundation

/// One Swift file of the repository, as lines.
struct SourceFile: Sendable {
    /// Path from the repository's root.
    let path: String
    /// Without line feeds.
    let lines: [String]

    /// The target: the folder under Sources, Plugins or Tests.
    var module: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : ""
    }

    /// Every Swift file of the product and of its tests.
    static let all = sources + tests
    static let sources = files(under: "Sources") + files(under: "Plugins")
    static let tests = files(under: "Tests")

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func files(under folder: String) -> [SourceFile] {
        let base = root.appendingPathComponent(folder)
        let names = FileManager.default.subpaths(atPath: base.path + "/") ?? []
        return names.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
            let file = base.appendingPathComponent(name)
            return (try? String(contentsOf: file, encoding: .utf8)).map {
                SourceFile(path: "\(folder)/\(name)", text: $0)
            }
        }
    }

    init(path: String, text: String) {
        self.path = path
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        self.lines = lines
    }
}

/// One thing that is not tidy, `FILE:LINE: what`.
struct Finding: Equatable, CustomStringConvertible {
    let file: String
    /// Counted from 1.
    let line: Int
    let message: String

    var description: String { "\(file):\(line): \(message)" }
}
