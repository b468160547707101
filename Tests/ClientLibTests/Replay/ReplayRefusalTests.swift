import ClientLib
import ProxydClientTestSupport
import Testing

struct ReplayRefusalTests {
    /// Why an exchange is refused; nothing may reach the server.
    private static func refusal(
        fidelity: ReplayFidelity = .bytes, _ edits: [ReplayEdit] = [], body: String = "",
        head: String = "POST / HTTP/1.1\nHost: h\nContent-Length: 2\n\n",
        _ change: (inout Exchange) -> Void = { _ in }
    ) async throws -> ClientError.Kind? {
        let server = try ScriptedServer { _ in ScriptedServer.response(200, "") }
        var exchange = try CapturedRequest.exchange(
            head, to: server.port, body: Array(body.utf8))
        change(&exchange)
        let sink = MemoryExchangeSink()
        let session = Session(recordingInto: sink)
        defer { session.shutdown() }
        let response =
            await session
            .replay(of: exchange, fidelity: fidelity, editing: edits).serializingData().response
        #expect(server.received.isEmpty)
        #expect(sink.updates.isEmpty)
        #expect(response.error?.fault == .caller)
        return response.error?.kind
    }

    @Test(arguments: ReplayFidelity.allCases)
    func `replaying a tunnel or a malformed, incomplete or upgraded exchange is refused`(
        _ fidelity: ReplayFidelity
    ) async throws {
        #expect(
            try await ReplayRefusalTests.refusal(fidelity: fidelity) { $0.state = .tunnel }
                == .replayRefused(.tunnel))
        #expect(
            try await ReplayRefusalTests.refusal(fidelity: fidelity) { $0.request.head = nil }
                == .replayRefused(.malformed))
        #expect(
            try await ReplayRefusalTests.refusal(fidelity: fidelity) { $0.request.url = nil }
                == .replayRefused(.malformed))
        #expect(
            try await ReplayRefusalTests.refusal(fidelity: fidelity) {
                $0.request.body = Body(byteCount: 9, kept: [1, 2])
            } == .replayRefused(.truncatedBody(byteCount: 9, keptByteCount: 2)))
        #expect(
            try await ReplayRefusalTests.refusal(fidelity: fidelity) {
                $0.state = .failed
                $0.request.body = Body([1])
            } == .replayRefused(.incompleteBody))
        #expect(
            try await ReplayRefusalTests.refusal(fidelity: fidelity) { $0.upgradedTo = "websocket" }
                == .replayRefused(.upgraded(to: "websocket")))
    }

    @Test func `an exact replay with edits is refused`() async throws {
        #expect(
            try await ReplayRefusalTests.refusal([.method("PUT")])
                == .replayRefused(.exactCannotBeEdited))
    }

    @Test(arguments: [
        (ReplayEdit.form(name: "a", value: "b"), ReplayRefusal.EditProblem.notForm),
        (.json(path: "a", value: "b"), .notJSON),
        (.header(name: "Content-Length", value: "9"), .belongsToConnection),
        (.header(name: "connection", value: nil), .belongsToConnection),
    ])
    func `a replay edit that does not match the request is refused with an error naming the edit`(
        _ edit: ReplayEdit, _ problem: ReplayRefusal.EditProblem
    ) async throws {
        let kind = try await ReplayRefusalTests.refusal(fidelity: .semantic, [edit], body: "no")
        #expect(kind == .replayRefused(.edit(edit.description, problem)))
    }

    @Test func `a replay edit with a JSON path that does not match the body is refused`()
        async throws
    {
        let edit = ReplayEdit.json(path: "a.b", value: "1")
        let kind = try await ReplayRefusalTests.refusal(
            fidelity: .semantic, [edit], body: #"{"a":1}"#)
        #expect(kind == .replayRefused(.edit("json:a.b", .badPath)))
    }

    @Test func `a replay edit of a body that cannot be decoded is refused`() async throws {
        let kind = try await ReplayRefusalTests.refusal(
            fidelity: .semantic, [.json(path: "a", value: "1")],
            body: "\u{28}\u{35}\u{2F}",
            head: "POST / HTTP/1.1\nHost: h\n"
                + "Content-Encoding: gzip, gzip, gzip, gzip\nContent-Length: 3\n\n")
        #expect(kind == .replayRefused(.edit("json:a", .undecodable)))
    }

    @Test func `a replay edit of a body with signed AWS chunks is refused`() async throws {
        let kind = try await ReplayRefusalTests.refusal(
            fidelity: .semantic, [.json(path: "a", value: "1")], body: "2\r\n{}\r\n0\r\n\r\n",
            head: "POST / HTTP/1.1\nHost: h\nContent-Encoding: aws-chunked\n"
                + "Content-Length: 14\n\n")
        #expect(kind == .replayRefused(.edit("json:a", .signedChunks)))
    }

    @Test(arguments: [
        ("f", "1", ReplayRefusal.EditProblem.file), ("a", "\r\n--B--\r\n", .boundaryInValue),
    ])
    func `a replay edit that changes a multipart file or contains the boundary is refused`(
        name: String, value: String, problem: ReplayRefusal.EditProblem
    ) async throws {
        let body =
            "--B\r\nContent-Disposition: form-data; name=f; filename=x\r\n\r\n1\r\n--B--\r\n"
        let kind = try await ReplayRefusalTests.refusal(
            fidelity: .semantic, [.form(name: name, value: value)], body: body,
            head: "POST / HTTP/1.1\nHost: h\nContent-Type: multipart/form-data; boundary=B\n"
                + "Content-Length: \(body.utf8.count)\n\n")
        #expect(kind == .replayRefused(.edit("form:\(name)", problem)))
    }

    @Test func `a replay edit with a line break in a header name or value is rejected`()
        async throws
    {
        let kind = try await ReplayRefusalTests.refusal(
            fidelity: .semantic, [.header(name: "A", value: "b\r\nC: d")])
        #expect(kind == .invalidRequest(.badFieldValue(name: "A")))
        let name = try await ReplayRefusalTests.refusal(
            fidelity: .semantic, [.header(name: "A: b\r\nC", value: "d")])
        #expect(name == .invalidRequest(.badFieldName))
    }

    @Test func `replay edits are parsed from text, and invalid text is rejected`() throws {
        #expect(
            try ReplayEdit(setting: "header:X-A=b=c") == .header(name: "X-A", value: "b=c"))
        #expect(try ReplayEdit(setting: "header:X-A=") == .header(name: "X-A", value: ""))
        #expect(try ReplayEdit(setting: "query:a=") == .query(name: "a", value: ""))
        #expect(try ReplayEdit(setting: "form:a[]=1") == .form(name: "a[]", value: "1"))
        #expect(
            try ReplayEdit(setting: #"json:a["x=y"].b={"c":"="}"#)
                == .json(path: #"a["x=y"].b"#, value: #"{"c":"="}"#))
        #expect(try ReplayEdit(setting: "method=PUT") == .method("PUT"))
        #expect(try ReplayEdit(setting: "url=http://a/?b=c") == .url("http://a/?b=c"))
        #expect(try ReplayEdit(removing: "header:A") == .header(name: "A", value: nil))
        #expect(try ReplayEdit(removing: "json:a.b") == .json(path: "a.b", value: nil))
        for text in ["", "header:A", "header:=b", "cookie:a=b", "json:a", "=", "method"] {
            #expect(throws: ReplayRefusal.edit(text, .unknownForm)) {
                try ReplayEdit(setting: text)
            }
        }
    }
}
