import ProxydParameterCoding
import ProxydPresentation
import Testing

struct BodyViewersGraphQLTests {
    private static let request = """
        {"operationName": "Cart", "query": "\\n query Cart($id: ID!) { cart(id: $id) { total } }",
         "variables": {"id": "c1", "deep": [true]}}
        """

    @Test func `the GraphQL viewer shows operation name, formatted document and variables`() {
        #expect(
            Viewed.text("graphql", "application/json", BodyViewersGraphQLTests.request)
                == """
                  query Cart
                    query Cart($id: ID!) {
                      cart(id: $id) {
                        total
                      }
                    }
                  variables
                    {
                      "id": "c1",
                      "deep": [
                        true
                      ]
                    }
                """.split(separator: "\n").map { "  " + $0.dropFirst(2) }.joined(separator: "\n"))
    }

    @Test
    func `the GraphQL viewer shows each request of a batch, and the hash of a persisted query`() {
        let batch = """
            [{"query": "mutation { pay }"},
             {"operationName": "Top", "extensions": {"persistedQuery": {"sha256Hash": "ab12"}}}]
            """
        let lines = Viewed.lines("graphql", "application/json", Array(batch.utf8))
        #expect(lines.first == "  mutation")
        #expect(lines.suffix(2) == ["  Top", "  persisted as ab12"])
    }

    @Test(arguments: ["", "Content-Transfer-Encoding: base64\r\n"])
    func `the GraphQL viewer shows the requests in the operations field of a multipart upload`(
        line: String
    ) {
        let request = #"{"query": "mutation { pay }"}"#
        let body =
            "--X\r\nContent-Disposition: form-data; name=operations\r\n\(line)\r\n"
            + (line.isEmpty ? request : Base64.text(Array(request.utf8))) + "\r\n--X--\r\n"
        let lines = Viewed.lines(
            "graphql", "multipart/form-data; boundary=X", Array(body.utf8))
        #expect(lines.first == "  mutation")
    }

    @Test(arguments: [
        (request, true), ("[{\"query\":\"{ me }\"}]", true),
        ("{\"extensions\":{\"persistedQuery\":{}}}", true),
        ("{\"query\": {\"match\": {\"title\": \"query\"}}}", false),
        ("{\"query\": \"shoes\"}", false), ("{\"a\": \"query\"}", false),
    ])
    func `the GraphQL viewer is offered for JSON that has a GraphQL document or a persisted query`(
        body: String, isOffered: Bool
    ) {
        let facts = BodyFacts(contentType: "application/json", bytes: Array(body.utf8))
        let names = BodyViewers.suited(to: facts).map { $0.name }
        #expect(names.contains("graphql") == isOffered)
        #expect((names.first == "graphql") == isOffered)
    }

    @Test func `the GraphQL viewer reports a body that it cannot read as GraphQL`() {
        let lines = Viewed.lines(
            "graphql", "application/json", Array("{\"query\":\"{ me".utf8))
        #expect(lines == ["  no GraphQL request could be read"])
    }

    @Test func `control characters in a GraphQL document are shown as escapes`() {
        let text = Viewed.text("graphql", "application/graphql", "{ a # \u{1B}[31m\n }")
        #expect(!text.contains("\u{1B}"))
        #expect(text.contains("\\x1B[31m"))
    }
}

/// Colours of GraphQL documents.
struct GraphQLSyntaxTests {
    /// The pieces of a document's line with their roles.
    private func styles(_ line: String) -> [String] {
        let escaped = line.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let body = "{\"query\": \"\(escaped)\"}"
        let bytes = Array(body.utf8)
        var viewer = Viewed.viewer(
            "graphql", BodyFacts(contentType: "application/json", bytes: bytes), LoadedBody(bytes))
        Viewed.finish(&viewer)
        return viewer.lines(1..<viewer.lineCount).flatMap(\.runs)
            .filter { !$0.text.allSatisfy(\.isWhitespace) }
            .map { "\($0.style.foreground) \($0.text)" }
    }

    @Test func `the GraphQL viewer colours keywords, variables, directives and numbers`() {
        let styles = styles("query Q($id: Int = 12) @cached { item(id: $id, on: true) }")
        for wanted in [
            "keyword query", "plain Q", "key $id", "number 12", "key @cached", "keyword on",
            "keyword true", "plain item",
        ] { #expect(styles.contains(wanted), "\(wanted): \(styles)") }
    }

    @Test(arguments: [
        (#"{ a(b: "x # y") }"#, #"string "x # y""#), (#"{ a(b: "q \" r") }"#, #"string "q \" r""#),
        (#"{ a(b: "open) }"#, #"string "open) }"#),
    ])
    func `the GraphQL viewer colours all of a string with escaped quotes or no closing quote`(
        line: String, piece: String
    ) {
        #expect(styles(line).contains { $0.hasPrefix(piece) }, "\(styles(line))")
    }
}
