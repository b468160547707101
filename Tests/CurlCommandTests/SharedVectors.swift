import Foundation
import Testing

/// The vectors that lie beside the repository.
enum SharedVectors {
    static let absence: Comment = "no ../shared/vectors beside the repository"

    static let folder: URL? = {
        var directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let candidate = directory.appending(path: "../shared/vectors").standardized
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            directory.deleteLastPathComponent()
        }
        return nil
    }()

    /// Strings that break programs.
    static func strings() throws -> [String] {
        let file = try #require(folder).appending(path: "strings/blns.json")
        return try JSONDecoder().decode([String].self, from: Data(contentsOf: file))
    }

    /// The cases of one kind in `parameter-coding.json`.
    static func cases(ofKind kind: String) throws -> [[String: Any]] {
        let file = try #require(folder).appending(path: "parameter-coding.json")
        let all = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        return try #require(all as? [[String: Any]]).filter { $0["kind"] as? String == kind }
    }
}
