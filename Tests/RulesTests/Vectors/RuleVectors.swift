import Foundation
import Testing

/// What the vectors that lie beside the repository say of messages.
struct RuleVectors: Decodable {
    struct Case: Decodable, CustomTestStringConvertible {
        let id: String
        let group: String
        let rules: String
        let request: String?
        let requestBase64: String?
        let response: String?
        let responseBase64: String?
        let hits: [String: Int]?
        let files: [String: File]?
        let expect: Expectation

        var testDescription: String { id }
    }

    struct File: Decodable {
        let text: String
        let modified: String
        let linkOutside: Bool?
    }

    struct Applied: Decodable, Equatable {
        let rule: String
        let phase: String
        let outcome: String
    }

    struct Mistake: Decodable {
        let line: Int
        let says: String
        let column: Int?
    }

    struct Place: Decodable {
        let scheme: String
        let host: String
        let port: UInt16
    }

    struct Timing: Decodable {
        let connectDelayMs: Int?
        let requestDelayMs: Int?
        let responseDelayMs: Int?
        let throttle: Throttle?
    }

    struct Throttle: Decodable {
        let downKbps: Int
        let upKbps: Int
        let latencyMs: Int
    }

    struct Expectation: Decodable {
        let sent: String?
        let sentHead: String?
        let sentDecoded: String?
        let received: String?
        let receivedHead: String?
        let receivedDecoded: String?
        let receivedBase64: String?
        let end: String?
        let to: Place?
        let timing: Timing?
        let tags: [String]?
        let applied: [Applied]?
        let error: Mistake?
    }

    struct FilterPoint: Decodable {
        let filter: String
        let decided: String
    }

    let messages: [Case]
    let filterPoints: [FilterPoint]

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

    static func read() throws -> RuleVectors? {
        guard let file else { return nil }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { path in
            // Names of files and rules are keys, too: only those of the format are joined.
            let name = path.last?.stringValue ?? ""
            let words = name.split(separator: "_", omittingEmptySubsequences: false)
            let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            guard isPlain, words.count > 1 else { return PlainKey(stringValue: name) }
            let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
            return PlainKey(stringValue: words[0] + rest.joined())
        }
        return try decoder.decode(RuleVectors.self, from: Data(contentsOf: file))
    }
}

private struct PlainKey: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = String(intValue) }
}
