import Foundation

/// The files of the repository that the tests are in.
enum Repository {
    static let root: URL = {
        var folder = URL(filePath: #filePath)
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            let manifest = folder.appending(path: "docs/CLIENT-FEATURES.md").path
            if FileManager.default.fileExists(atPath: manifest) { break }
        }
        return folder
    }()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The Swift files below a folder.
    static func sources(below path: String) throws -> [String] {
        let folder = root.appending(path: path)
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        return try (names ?? []).filter { $0.hasSuffix(".swift") }.sorted().map {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }
    }
}
