import ProxydHTTPModel
import ProxydParameterCoding
import ProxydOperations
import ProxydTestSupport
import Testing

struct RequestChangeTests {
    private func change(
        _ members: [String: JSONValue], of original: Request?
    ) throws -> RequestChange {
        try RequestChange(BodyMembers(members, known: RequestChange.names), of: original)
    }

    private static func headers(_ name: String, _ value: String) -> [String: JSONValue] {
        ["headers": .array([.array([.string(name), .string(value)])])]
    }

    private static let invalid: [[String: JSONValue]] = [
        ["method": .string("GET / HTTP/1.1\r\nA: b\r\n\r\nPOST")], ["method": .string("")],
        ["method": .string("CONNECT")], ["method": .number("1")],
        ["url": .string("http://h/ HTTP/1.1\r\nA: b")], ["url": .string("/path")],
        ["url": .string("ftp://h/")], headers("A", "b\r\nC: d"), headers("A B", "c"),
        headers("A:", "b"), headers("", "b"), headers("A", "b\0"), ["headers": .string("A: b")],
        ["body_base64": .string("***")], ["body_text": .number("1")],
        ["body_text": .string("a"), "body_base64": .string("YQ==")], ["body_texte": .string("a")],
    ]

    @Test(arguments: invalid)
    func `a changed request with line breaks or an invalid method, URL or body is rejected`(
        members: [String: JSONValue]
    ) {
        let original = Exchange.sample(1).request
        #expect(throws: AnswerProblem.self) { try change(members, of: original) }
    }

    @Test func `the parts of a captured request that a replay does not change stay as captured`()
        throws
    {
        let original = Exchange.sample(1, "/a?b", method: "PUT", requestBody: "old").request
        let changed = try change(["body_text": .string("new")], of: original).request
        #expect(changed.method == "PUT")
        #expect(changed.url?.description.hasSuffix("/a?b") == true)
        #expect(changed.head?.fields["Host"] == "api.test")
        #expect(changed.body.kept == Array("new".utf8))
    }

    @Test(arguments: [("gzip", "gzip"), ("utf-8", "utf-8")])
    func `replacing a request body that was not encoded as declared keeps Content-Encoding`(
        coding: String, left: String
    ) throws {
        var original = Exchange.sample(1, requestBody: "old").request
        var fields = original.head?.fields ?? HeaderFields()
        fields.append(name: "Content-Encoding", value: coding)
        original.head = original.head?.changed(fields: fields)
        let changed = try change(["body_text": .string("new")], of: original).request
        #expect(changed.head?.fields["Content-Encoding"] == left)
        #expect(changed.body.kept == Array("new".utf8))
    }

    @Test
    func `a request with an incomplete captured body can be changed only if its body is replaced`()
        throws
    {
        var original = Exchange.sample(1, requestBody: "start").request
        original.body.byteCount = 100
        #expect(throws: AnswerProblem.self) {
            try change(["method": .string("PUT")], of: original)
        }
        _ = try change(["body_text": .string("")], of: original)
    }
}
