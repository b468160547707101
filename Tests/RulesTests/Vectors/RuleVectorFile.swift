import Foundation

/// The vectors of rules that lie beside the repository.
enum RuleVectorFile {
    static let url: URL? = {
        var directory = URL(filePath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let file = directory.appending(path: "../shared/vectors/rules/rules-vectors.json")
                .standardized
            if FileManager.default.fileExists(atPath: file.path) { return file }
            directory.deleteLastPathComponent()
        }
        return nil
    }()

    static var isThere: Bool { url != nil }

    static func read<Vectors: Decodable>(_ type: Vectors.Type) throws -> Vectors? {
        try url.map { try JSONDecoder().decode(type, from: Data(contentsOf: $0)) }
    }
}
