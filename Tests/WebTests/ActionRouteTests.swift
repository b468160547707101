import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydTestSupport
import Testing

@testable import ProxydWebServer

/// Routes that change exchanges, send requests and export.
struct ActionRouteTests {
    private let actions = ScriptedActions()

    private func store(_ change: (inout HostActions) -> Void = { _ in }) throws -> WebStore {
        var all = actions.actions
        change(&all)
        var noted = Exchange.sample(1, "/a?b=c", method: "PUT", body: "x", requestBody: "old")
        noted.annotations.tags = ["kept", "gone"]
        return try WebStore([noted, Exchange.sample(2, "/sent")], actions: all)
    }

    // MARK: Annotations

    @Test
    func `in the web API, PATCH changes an exchange's note, tags and pin and returns its row`()
        throws
    {
        let (status, row) = try store().answer(
            .patch, "/api/v1/exchanges/1",
            body: #"{"note":"n","tags":["kept","new"],"pinned":true}"#)
        #expect(status == 200 && row["id"]?.text == "1")
        #expect(actions.calls == [#"annotate 1 note=n +["new"] -["gone"] pinned=true"#])
    }

    @Test
    func `in the web API, PATCH with a null note removes the note; absent members change nothing`()
        throws
    {
        let store = try store()
        #expect(
            try store.answer(.patch, "/api/v1/exchanges/1", body: #"{"note":null}"#).status == 200)
        #expect(try store.answer(.patch, "/api/v1/exchanges/1", body: "").status == 200)
        #expect(actions.calls == ["annotate 1 note= +[] -[]", "annotate 1 +[] -[]"])
    }

    @Test(arguments: [
        (#"{"note":1}"#, 400, "note"), (#"{"tags":"a"}"#, 400, "tags"),
        (#"{"tags":[1]}"#, 400, "tags"), (#"{"pinned":"yes"}"#, 400, "pinned"),
        (#"{"colour":"red"}"#, 400, "colour"), ("[1]", 400, "object"), ("{", 400, "JSON"),
        (#"{"tags":["\#(String(repeating: "x", count: 16_385))"]}"#, 400, "16384 bytes"),
        (#"{"tags":[\#(String(repeating: "\"a\",", count: 100))"b"]}"#, 400, "100 tags"),
    ])
    func `an invalid annotation in the web API is rejected with 400 and changes nothing`(
        body: String, status: Int, word: String
    ) throws {
        let answer = try store().answer(.patch, "/api/v1/exchanges/1", body: body)
        #expect(answer.status == status)
        #expect(answer.json["detail"]?.text?.contains(word) == true)
        #expect(actions.calls.isEmpty)
    }

    @Test func `annotating an unknown exchange in the web API is answered with 404`() throws {
        let answer = try store().answer(.patch, "/api/v1/exchanges/9", body: #"{"pinned":true}"#)
        #expect(answer.status == 404 && actions.calls.isEmpty)
    }

    @Test func `a web API action that fails is answered with 502 and the reason`() throws {
        actions.fail(ScriptedActions.Refused(description: "the disk is full"))
        let answer = try store().answer(.patch, "/api/v1/exchanges/1", body: #"{"pinned":true}"#)
        #expect(answer.status == 502)
        #expect(answer.json["detail"]?.text == "the disk is full")
    }

    @Test(arguments: [
        (HTTPMethod.patch, "/api/v1/exchanges/1", #"{"pinned":true}"#),
        (.delete, "/api/v1/exchanges", ""), (.post, "/api/v1/exchanges/1/replay", ""),
        (.post, "/api/v1/send", #"{"url":"http://h/"}"#), (.get, "/api/v1/export", ""),
        (.post, "/api/v1/recording", #"{"on":true}"#), (.get, "/api/v1/rules", ""),
        (.get, "/api/v1/rules/file", ""), (.post, "/api/v1/holds/take", #"{"on":true}"#),
        (.post, "/api/v1/holds/resume-all", ""), (.get, "/api/v1/holds/1", ""),
    ])
    func `a web API route whose action is not available returns 403`(
        method: HTTPMethod, path: String, body: String
    ) throws {
        let store = try WebStore([Exchange.sample(1)])
        #expect(store.response(method, path, body: body).status == 403)
    }

    // MARK: Deleting

    @Test func `the web API deletes the exchanges that match a filter and returns their number`()
        throws
    {
        let answer = try store().answer(
            .delete, "/api/v1/exchanges", [("filter", "host:example status>=400")])
        #expect(answer.status == 200 && answer.json["deleted"] == .number("7"))
        #expect(actions.calls.count == 1 && actions.calls[0].hasPrefix("delete <host:example"))
    }

    @Test func `the web API deletes all exchanges only if all=true is given without a filter`()
        throws
    {
        let store = try store()
        for query in [
            [], [("all", "false")], [("filter", "")], [("all", "true"), ("filter", "a")],
        ] {
            let answer = try store.answer(.delete, "/api/v1/exchanges", query)
            #expect(answer.status == 400, "\(query)")
        }
        #expect(try store.answer(.delete, "/api/v1/exchanges", [("filter", "x:")]).status == 400)
        #expect(actions.calls.isEmpty)
        #expect(try store.answer(.delete, "/api/v1/exchanges", [("all", "true")]).status == 200)
        #expect(actions.calls == ["delete <>"])
    }

    // MARK: Sending

    private func outcome(_ id: Int64?, problem: String? = nil, advice: String? = nil) {
        actions.set(
            outcome: ReplayOutcome(
                originalID: ExchangeID(rawValue: 1), id: id.map(ExchangeID.init(rawValue:)),
                status: nil, isStatusSame: false, bodyByteCount: 0, body: .unknown,
                durationNs: nil, problem: problem, advice: advice))
    }

    @Test(arguments: ["", "{}", #"{"verify":true}"#, #"{"exact":true}"#])
    func `the web API replays an unchanged request byte for byte`(body: String) throws {
        outcome(2)
        let answer = try store().answer(.post, "/api/v1/exchanges/1/replay", body: body)
        #expect(answer.status == 200 && answer.json["id"]?.text == "2")
        #expect(actions.calls == [#"replay ["1"] exact=true"#])
    }

    @Test
    func `if a replay in the web API cannot send anything, the response is 502 with the reason`()
        throws
    {
        let store = try store()
        outcome(nil, problem: "no connection", advice: "no connection\nturn verification off")
        var answer = try store.answer(.post, "/api/v1/exchanges/1/replay")
        #expect(answer.status == 502)
        #expect(answer.json["detail"]?.text == "no connection\nturn verification off")
        outcome(nil, problem: "no connection")
        answer = try store.answer(.post, "/api/v1/exchanges/1/replay")
        #expect(answer.json["detail"]?.text == "no connection")
        outcome(nil)
        answer = try store.answer(.post, "/api/v1/exchanges/1/replay")
        #expect(answer.status == 502 && answer.json["detail"]?.text == "nothing was sent")
    }

    @Test func `the web API applies the given changes to a captured request before sending it`()
        throws
    {
        let answer = try store().answer(
            .post, "/api/v1/exchanges/1/replay",
            body: #"{"method":"POST","headers":[["X-A","1"],["X-A","2"]],"body_base64":"AP8=","#
                + #""verify":false}"#)
        #expect(answer.status == 200 && answer.json["id"]?.text == "2")
        let sent = try #require(actions.requests.first)
        #expect(sent.method == "POST" && sent.url?.description.hasSuffix("/a?b=c") == true)
        #expect(sent.head?.fields.values(named: "x-a") == ["1", "2"])
        #expect(sent.body.kept == [0, 0xFF])
        #expect(actions.routes.first?.isVerified == false)
        #expect(actions.calls.first?.hasSuffix(" from 1") == true)
    }

    @Test
    func `in the web API, a replay with exact=false sends a request rebuilt from the captured one`()
        throws
    {
        _ = try store().answer(.post, "/api/v1/exchanges/1/replay", body: #"{"exact":false}"#)
        let sent = try #require(actions.requests.first)
        #expect(sent.method == "PUT" && sent.body.kept == Array("old".utf8))
    }

    @Test func `the web API sends a new request and returns the row of its exchange`() throws {
        let answer = try store().answer(
            .post, "/api/v1/send", body: #"{"url":"https://h.test/x","body_text":"ü"}"#)
        #expect(answer.status == 200 && answer.json["id"]?.text == "2")
        let sent = try #require(actions.requests.first)
        #expect(sent.url?.description == "https://h.test/x" && sent.method == .get)
        #expect(sent.body.kept == Array("ü".utf8))
        #expect(actions.calls == ["send https://h.test/x from nothing"])
    }

    @Test
    func `if a sent request is recorded in another store, the web API returns 202 with the ID`()
        throws
    {
        let store = try store { $0.recordsElsewhere = true }
        let answer = try store.answer(.post, "/api/v1/send", body: #"{"url":"http://h/"}"#)
        #expect(answer.status == 202 && answer.json["recorded_as"]?.text == "2")
        #expect(answer.json["id"] == nil)
    }

    @Test(arguments: [
        ("/api/v1/send", "{}", 400), ("/api/v1/send", #"{"url":"ftp://h/"}"#, 400),
        ("/api/v1/exchanges/9/replay", #"{"method":"POST"}"#, 404),
        ("/api/v1/exchanges/9/replay", "{}", 404), ("/api/v1/exchanges/9/replay", "", 404),
        ("/api/v1/exchanges/1/replay", #"{"method":"A B"}"#, 400),
    ])
    func `the web API rejects sending an invalid request and replaying an unknown exchange`(
        path: String, body: String, status: Int
    ) throws {
        let answer = try store().answer(.post, path, body: body)
        #expect(answer.status == status)
        #expect(actions.requests.isEmpty)
    }

    @Test(
        arguments: [
            ("exchanges/1/replay", #"{"body_texte":"x"}"#, "body_texte"),
            ("exchanges/1/replay", #"{"method":"PUT","nonsense":1}"#, "nonsense"),
            ("exchanges/1/replay", #"{"exact":"false"}"#, "exact"),
            ("exchanges/1/replay", #"{"verify":"false"}"#, "verify"),
            ("exchanges/1/replay", #"{"verify":null}"#, "verify"),
            ("exchanges/1/replay", #"{"body_text":["x"]}"#, "body_text"),
            ("exchanges/1/replay", #"{"body_text":"x","body_base64":"eA=="}"#, "body_base64"),
            ("send", #"{"url":"http://h/","bdoy_text":"x"}"#, "bdoy_text"),
            ("send", #"{"url":"http://h/","exact":true}"#, "exact"),
            ("send", #"{"url":"http://h/","verify":0}"#, "verify"),
            ("recording", #"{"on":true,"off":false}"#, "off"), ("recording", #"{"on":1}"#, "on"),
            ("holds/take", #"{"on":true,"filter":"a"}"#, "filter"),
            ("holds/take", #"{"on":"yes"}"#, "on"),
            ("holds/resume-all", #"{"filter":"a"}"#, "filter"),
            ("holds/3/resume", #"{"haed":"x"}"#, "haed"),
            ("holds/3/answer", #"{"head":"H","body":"x"}"#, "body"),
            ("holds/3/drop", #"{"head":"H"}"#, "head"),
            ("rules/test", #"{"filter":"a","when":"b"}"#, "when"),
            ("rules/test", #"{"filter":1}"#, "filter"),
        ])
    func `the web API rejects and names an unknown or mistyped JSON member of a request`(
        path: String, body: String, name: String
    ) throws {
        outcome(2)
        let answer = try store().answer(.post, "/api/v1/\(path)", body: body)
        #expect(answer.status == 400)
        #expect(answer.json["detail"]?.text?.contains(name) == true, "\(answer.json)")
        #expect(actions.calls.isEmpty)
    }

    // MARK: Export

    private func export(_ query: [(String, String)]) throws -> (WebResponse, ExportOrder?) {
        let response = try store().response(.get, "/api/v1/export", query)
        // The order is made when the body is written.
        if case .pieces(let write) = response.body { try write(WebBodyWriter { _ in }) }
        return (response, actions.exports.last)
    }

    @Test(
        arguments: [
            ([], "har", "exchanges.har"), ([("format", "curl")], "curl", "exchanges.sh"),
            ([("format", "jsonl")], "jsonl", "exchanges.jsonl"),
            ([("format", "openapi")], "openapi", "exchanges.openapi.json"),
            ([("format", "postman")], "postman", "exchanges.postman_collection.json"),
            ([("format", "k6")], "k6", "exchanges.k6.js"),
        ] as [([(String, String)], String, String)])
    func `each export format of the web API has its own file name and is redacted by default`(
        query: [(String, String)], format: String, name: String
    ) throws {
        let (response, order) = try export(query)
        #expect(order?.format.rawValue == format && order?.isRedacted == true)
        #expect(
            response.fields.contains {
                $0.name == "Content-Disposition" && $0.value.hasSuffix("\"\(name)\"")
            })
    }

    @Test func `a web API export selects exchanges by a filter or by their IDs`() throws {
        var order = try export([("filter", "host:a"), ("redact", "false")]).1
        #expect(order?.isRedacted == false)
        guard case .filter(let text)? = order?.selection else {
            Issue.record("not by a filter")
            return
        }
        #expect(text.contains("host:a"))
        order = try export([("ids", "2,1")]).1
        #expect(order?.selection == .exchanges([2, 1].map(ExchangeID.init(rawValue:))))
    }

    @Test func `a web API export of an unknown exchange is answered with 404 before it starts`()
        throws
    {
        let (response, order) = try export([("ids", "1,99")])
        #expect(response.status == 404 && order == nil)
    }

    @Test(
        arguments: [
            [("format", "xml")], [("ids", "1,x")], [("ids", "1,,x")], [("filter", "status>")],
            [("redact", "no")],
        ] as [[(String, String)]])
    func `a web API export with an invalid parameter is answered with 400`(
        query: [(String, String)]
    ) throws {
        let (response, order) = try export(query)
        #expect(response.status == 400 && order == nil)
    }
}
