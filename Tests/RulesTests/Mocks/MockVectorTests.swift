import ProxydHTTPModel
import ProxydRules
import ProxydTestSupport
import Testing

@Suite struct MockVectorTests {
    private struct Vectors: Decodable { let mock: [Vector] }

    struct Message: Decodable {
        let id: Int64?
        let method: String
        let url: String
        let type: String?
        let body: String?
        let headers: [String: String]?

        var request: MockRequest {
            MockRequest.of(method, url, type: type, body: body ?? "", headers: headers ?? [:])
        }
    }

    /// What a request gets: a number, or why it gets nothing.
    enum Served: Decodable {
        case id(Int64)
        case unmatched([String], nearest: Int64?)

        private enum Key: CodingKey { case unmatched, nearest }

        init(from decoder: any Decoder) throws {
            if let id = try? decoder.singleValueContainer().decode(Int64.self) {
                self = .id(id)
                return
            }
            let values = try decoder.container(keyedBy: Key.self)
            let words =
                if let word = try? values.decode(String.self, forKey: .unmatched) {
                    [word]
                } else {
                    try values.decode([String].self, forKey: .unmatched)
                }
            self = .unmatched(
                words, nearest: try values.decodeIfPresent(Int64.self, forKey: .nearest))
        }
    }

    struct Vector: Decodable {
        let id: String
        let captured: [Message]
        let requests: [Message]
        let serves: [Served]
        let match: [String]?
        let ignore: [String]?
        let order: String?
    }

    @Test(.enabled(if: RuleVectorFile.isThere, "the shared vectors are not there"))
    func `every mock case of the shared test vectors serves the expected captures`() throws {
        let vectors = try #require(try RuleVectorFile.read(Vectors.self)).mock
        #expect(vectors.count >= 9)
        for vector in vectors { try check(vector) }
    }

    private func check(_ vector: Vector) throws {
        let matching = try MockMatching(
            match: (vector.match ?? []).map { "header:\($0)" }, ignore: vector.ignore ?? [])
        let order = try #require(MockOrder(rawValue: vector.order ?? "then-last"))
        var table = MockTable(matching, order: order)
        for message in vector.captured { table.add(message.request, id: try #require(message.id)) }
        for (message, expected) in zip(vector.requests, vector.serves) {
            switch (table.answer(to: message.request), expected) {
            case (.capture(let id), .id(let wanted)): #expect(id == wanted, "\(vector.id)")
            case (.unmatched(let miss), .unmatched(let words, let nearest)):
                #expect(miss.differences == words, "\(vector.id)")
                // What was used up is its own nearest.
                if words != ["used up"] { #expect(miss.nearest == nearest, "\(vector.id)") }
            case (let answer, _): Issue.record("\(vector.id): \(answer)")
            }
        }
    }
}
