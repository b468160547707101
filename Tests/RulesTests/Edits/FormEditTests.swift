import ProxydHTTPModel
import ProxydRules
import Testing

/// Edits of multipart forms, and of bodies that are not in the coding they name.
struct FormEditTests {
    private static let form =
        "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
        + "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n"
        + "Content-Type: image/png\r\n\r\n\u{0}\r\n\r\n--XX--\r\n"

    private func exchange(_ action: String, _ head: String, _ body: String) throws -> RuleExchange {
        let text = "[[rule]]\nname = \"r\"\nrequest = [{ \(action) }]\n"
        let lines = "POST http://a.test/ HTTP/1.1\nHost: a.test\n\(head)"
        let request = lines + "Content-Length: \(body.utf8.count)\n\n"
        var exchange = try RuleExchange(
            try RulesFile.read(text, file: "f", now: 0),
            Array(request.replacing("\n", with: "\r\n").utf8) + Array(body.utf8))
        exchange.send()
        return exchange
    }

    private func body(_ exchange: RuleExchange) -> String {
        String(decoding: exchange.sent?.body ?? [], as: UTF8.self)
    }

    @Test(arguments: [
        ("set = \"form:a\", value = \"22\"", "\r\n\r\n1\r\n", "\r\n\r\n22\r\n"),
        (
            "add = \"form:b\", value = \"2\"", "--XX--",
            "--XX\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n2\r\n--XX--"
        ),
        (
            "remove = \"form:a\", match = '1'",
            "Content-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--XX\r\n", ""
        ),
    ])
    func `a rule that edits a field of a multipart form changes no other byte of the form`(
        action: String, before: String, after: String
    ) throws {
        let found = try exchange(
            action, "Content-Type: multipart/form-data; boundary=XX\n", FormEditTests.form)
        let wanted = FormEditTests.form.replacing(before, with: after)
        #expect(body(found) == wanted)
        #expect(found.applied.map(\.outcome) == ["changed"])
        #expect(found.sent?.text.contains("\r\nContent-Length: \(wanted.utf8.count)\r\n") == true)
    }

    @Test(arguments: [
        ("set = \"form:a\", value = \"1\"", "unchanged"),
        ("remove = \"form:z\"", "unchanged"),
        ("set = \"form:f\", value = \"1\"", "a file, not a field"),
        ("set = \"form:a\", value = \"\\r\\n--XX--\\r\\n\"", "the value contains the boundary"),
    ])
    func `a rule's edit that finds no field or would break the multipart form changes nothing`(
        action: String, outcome: String
    ) throws {
        let found = try exchange(
            action, "Content-Type: multipart/form-data; boundary=XX\n", FormEditTests.form)
        #expect(body(found) == FormEditTests.form)
        #expect(found.applied.map(\.outcome) == [outcome])
    }

    @Test func `a rule does not edit a multipart form that lacks its closing boundary`() throws {
        let cut = String(FormEditTests.form.dropLast(8))
        let found = try exchange(
            "set = \"form:a\", value = \"2\"",
            "Content-Type: multipart/form-data; boundary=XX\n", cut)
        #expect(body(found) == cut)
        #expect(found.applied.map(\.outcome) == ["not a form"])
    }

    @Test(arguments: ["gzip", "utf-8", "br", "none, deflate"])
    func `a rule edits an uncoded body even if Content-Encoding names a coding`(coding: String)
        throws
    {
        let found = try exchange(
            "set = \"json:a\", value = 2", "Content-Encoding: \(coding)\n", #"{"a":1}"#)
        #expect(body(found) == #"{"a":2}"#)
        #expect(found.sent?.text.contains("\r\nContent-Encoding: \(coding)\r\n") == true)
        #expect(found.applied.map(\.outcome) == ["changed"])
    }

    @Test func `a rule does not edit a body in the aws-chunked coding`() throws {
        let chunks = "7\r\n{\"a\":1}\r\n0\r\n\r\n"
        let found = try exchange(
            "set = \"json:a\", value = 2", "Content-Encoding: aws-chunked\n", chunks)
        #expect(body(found) == chunks)
        #expect(found.applied.map(\.outcome) == ["aws-chunked"])
    }
}
