import Foundation
import Testing

/// The rules files among the vectors that lie beside the repository.
struct RuleVectors: Decodable {
    struct Case: Decodable, CustomTestStringConvertible {
        struct Mistake: Decodable {
            let line: Int
            let says: String
        }

        struct Expectation: Decodable { let error: Mistake? }

        let id: String
        let rules: String
        let expect: Expectation

        var testDescription: String { id }
    }

    let messages: [Case]

    static let file: URL? = {
        var directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let file = directory.appending(path: "../shared/vectors/rules/rules-vectors.json")
                .standardized
            if FileManager.default.fileExists(atPath: file.path) { return file }
            directory.deleteLastPathComponent()
        }
        return nil
    }()

    static func read() throws -> [Case] {
        guard let file else { return [] }
        return try JSONDecoder().decode(RuleVectors.self, from: Data(contentsOf: file)).messages
    }
}
