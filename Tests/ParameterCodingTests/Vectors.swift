import Foundation
import Testing

/// Finds the shared test vectors beside the repository; tests that need them are skipped where
/// they are not there.
enum Vectors {
    private static let directory: URL? = {
        var directory = URL(filePath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let candidate = directory.appending(path: "../shared/vectors").standardized
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            directory = directory.deletingLastPathComponent()
        }
        return nil
    }()

    static func has(_ path: String) -> Bool {
        directory.map {
            FileManager.default.fileExists(atPath: $0.appending(path: path).path)
        } ?? false
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: try #require(directory).appending(path: path)))
    }

    static func load<Value: Decodable>(_ path: String, as type: Value.Type) throws -> Value {
        let directory = try #require(directory)
        let data = try Data(contentsOf: directory.appending(path: path))
        return try JSONDecoder().decode(type, from: data)
    }
}
