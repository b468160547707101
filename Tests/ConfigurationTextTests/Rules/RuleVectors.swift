import ProxydTestSupport
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

    static func read() throws -> [Case] {
        try RuleVectorFile.read(RuleVectors.self)?.messages ?? []
    }
}
