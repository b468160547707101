import ProxydPresentation
import Testing

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
    func `the GraphQL viewer colours a whole string, even if it has escaped quotes or no end`(
        line: String, piece: String
    ) {
        #expect(styles(line).contains { $0.hasPrefix(piece) }, "\(styles(line))")
    }
}
