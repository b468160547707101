public import Foundation

/// What the vectors that lie beside the repository say of messages.
public struct RuleVectors: Decodable {
    /// One exchange, and what rules make of it; or a file that is refused.
    public struct Case: Decodable, CustomStringConvertible {
        /// Its name.
        public let id: String
        /// What it is about.
        public let group: String
        /// The text of a rules.toml.
        public let rules: String
        /// What the client sends; nil where it is no text.
        public let request: String?
        /// The same in base64.
        public let requestBase64: String?
        /// What the server answers; nil where it is no text, or does not matter.
        public let response: String?
        /// The same in base64.
        public let responseBase64: String?
        /// How often rules had hit before.
        public let hits: [String: Int]?
        /// What is served, by path.
        public let files: [String: File]?
        /// What comes of it.
        public let expect: Expectation

        /// Its name.
        public var description: String { id }
        /// What the client sends.
        public var requestBytes: [UInt8] { RuleVectors.bytes(request, requestBase64) ?? [] }
        /// What the server answers; nil where what it answers does not matter.
        public var responseBytes: [UInt8]? { RuleVectors.bytes(response, responseBase64) }
    }

    /// A file of a folder that a rule serves.
    public struct File: Decodable {
        /// Its content, a character a byte.
        public let text: String
        /// When it was changed, as HTTP writes dates.
        public let modified: String
        /// Whether it is a link that leads out of the folder.
        public let linkOutside: Bool?
    }

    /// What a rule did.
    public struct Applied: Decodable, Equatable {
        /// The rule's name.
        public let rule: String
        /// In which phase.
        public let phase: String
        /// As the record has it.
        public let outcome: String

        /// One that was found.
        public init(rule: String, phase: String, outcome: String) {
            self.rule = rule
            self.phase = phase
            self.outcome = outcome
        }
    }

    /// What is wrong with a file, and where.
    public struct Mistake: Decodable {
        /// The line of the file.
        public let line: Int
        /// A part of the message.
        public let says: String
        /// The column in the filter.
        public let column: Int?
    }

    /// Where a request goes.
    public struct Place: Decodable {
        /// `http` or `https`.
        public let scheme: String
        /// The host.
        public let host: String
        /// The port.
        public let port: UInt16
        /// The upstream proxy; nil for none.
        public let via: String?
    }

    /// How long what waits.
    public struct Timing: Decodable {
        /// Before a connection is made, in milliseconds.
        public let connectDelayMs: Int?
        /// Before the request goes on.
        public let requestDelayMs: Int?
        /// Before the response goes on.
        public let responseDelayMs: Int?
        /// The network that it goes over.
        public let throttle: Throttle?
    }

    /// A slow network.
    public struct Throttle: Decodable {
        /// To the client, in kbit/s.
        public let downKbps: Int
        /// To the server, in kbit/s.
        public let upKbps: Int
        /// A round trip, in milliseconds.
        public let latencyMs: Int
    }

    /// What the server and the client get, and what is recorded.
    public struct Expectation: Decodable {
        /// What the server gets; nil where none is asked.
        public let sent: String?
        /// Its head, where the content is coded.
        public let sentHead: String?
        /// The content, its coding undone.
        public let sentDecoded: String?
        /// What the client gets; nil where that does not matter, or is nothing.
        public let received: String?
        /// Its head, where the content is coded.
        public let receivedHead: String?
        /// The content, its coding undone.
        public let receivedDecoded: String?
        /// The very bytes, in base64.
        public let receivedBase64: String?
        /// `close`, `reset` or `hang`, where the client gets nothing.
        public let end: String?
        /// Where the request goes.
        public let to: Place?
        /// How long it waits.
        public let timing: Timing?
        /// How the record is marked.
        public let tags: [String]?
        /// The rules that matched, in order.
        public let applied: [Applied]?
        /// Why the file is refused.
        public let error: Mistake?
    }

    /// A filter, and when it is decided.
    public struct FilterPoint: Decodable {
        /// The filter.
        public let filter: String
        /// The first moment at which it is decided.
        public let decided: String
    }

    /// Exchanges, and files that are refused.
    public let messages: [Case]
    /// Filters.
    public let filterPoints: [FilterPoint]

    private static func bytes(_ text: String?, _ base64: String?) -> [UInt8]? {
        guard let base64 else { return text.map { Array($0.utf8) } }
        return Data(base64Encoded: base64).map(Array.init)
    }

    /// All of it; nil where it is not there.
    public static func read() throws -> RuleVectors? {
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
        return try RuleVectorFile.read(RuleVectors.self, with: decoder)
    }
}

private struct PlainKey: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = String(intValue) }
}

/// The vectors of rules that lie beside the repository.
public enum RuleVectorFile {
    /// Where they are; nil where they are not there.
    public static let url: URL? = {
        var directory = URL(filePath: #filePath).deletingLastPathComponent()
        while directory.path != "/" {
            let file = directory.appending(path: "../shared/vectors/rules/rules-vectors.json")
                .standardized
            if FileManager.default.fileExists(atPath: file.path) { return file }
            directory.deleteLastPathComponent()
        }
        return nil
    }()

    /// Whether they are there: a test that needs them is skipped otherwise.
    public static var isThere: Bool { url != nil }

    /// Some lists of the file; nil where it is not there.
    public static func read<Vectors: Decodable>(
        _ type: Vectors.Type, with decoder: JSONDecoder = JSONDecoder()
    ) throws -> Vectors? {
        try url.map { try decoder.decode(type, from: Data(contentsOf: $0)) }
    }

    /// The bytes of a hexadecimal text.
    public static func bytes(hex text: String) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: 2).map { start in
            UInt8(String(digits[start..<min(start + 2, digits.count)]), radix: 16) ?? 0
        }
    }
}
