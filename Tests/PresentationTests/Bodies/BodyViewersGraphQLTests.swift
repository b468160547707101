import ProxydParameterCoding
import ProxydPresentation
import Testing

struct BodyViewersGraphQLTests {
    private static let request = """
        {"operationName": "Cart", "query": "\\n query Cart($id: ID!) { cart(id: $id) { total } }",
         "variables": {"id": "c1", "deep": [true]}}
        """

    @Test func `a request shows its operation, its document laid out, and its variables`() {
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

    @Test func `a batch shows each request, a persisted one its hash`() {
        let batch = """
            [{"query": "mutation { pay }"},
             {"operationName": "Top", "extensions": {"persistedQuery": {"sha256Hash": "ab12"}}}]
            """
        let lines = Viewed.lines("graphql", "application/json", Array(batch.utf8))
        #expect(lines.first == "  mutation")
        #expect(lines.suffix(2) == ["  Top", "  persisted as ab12"])
    }

    @Test(arguments: ["", "Content-Transfer-Encoding: base64\r\n"])
    func `an upload shows the requests in its field`(line: String) {
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
    func `JSON is offered as GraphQL where it has a document`(body: String, isOffered: Bool) {
        let facts = BodyFacts(contentType: "application/json", bytes: Array(body.utf8))
        let names = BodyViewers.suited(to: facts).map { $0.name }
        #expect(names.contains("graphql") == isOffered)
        #expect((names.first == "graphql") == isOffered)
    }

    @Test func `a body that is no GraphQL after all is said to be none`() {
        let lines = Viewed.lines(
            "graphql", "application/json", Array("{\"query\":\"{ me".utf8))
        #expect(lines == ["  no GraphQL request could be read"])
    }

    @Test func `nothing of a document reaches the terminal as it came`() {
        let text = Viewed.text("graphql", "application/graphql", "{ a # \u{1B}[31m\n }")
        #expect(!text.contains("\u{1B}"))
        #expect(text.contains("\\x1B[31m"))
    }
}
