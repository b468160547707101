import ProxydRules
import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// Routes for messages that rules hold.
struct HoldRouteTests {
    private let actions = ScriptedActions()

    private func store() throws -> WebStore { try WebStore([], actions: actions.actions) }

    @Test
    func `the web API lists held messages and reports whether the web interface accepts holds`()
        throws
    {
        var facts = StatusFacts()
        facts.isTakingHolds = true
        facts.holds = [
            HoldSummary(
                hold: 3, exchangeID: 9, phase: "response", rule: "hold it", method: "GET",
                url: "http://h/", status: 200, since: 1_800_000_000_000_000_000,
                deadline: 1_800_000_060_000_000_000, claimedBy: "web")
        ]
        actions.set(facts: facts)
        let value = try store().json("/api/v1/holds")
        #expect(value["taking"] == .bool(true))
        let hold = try #require(value["holds"]?.elements.first)
        #expect(hold["hold"] == .number("3") && hold["exchange"]?.text == "9")
        #expect(hold["phase"]?.text == "response" && hold["status"] == .number("200"))
        #expect(hold["rule"]?.text == "hold it" && hold["claimed_by"]?.text == "web")
        #expect(hold["since"]?.text?.hasPrefix("2027-01-15T08:00:00") == true)
        #expect(hold["deadline"]?.text?.hasPrefix("2027-01-15T08:01:00") == true)
    }

    @Test func `the web API returns an empty list if no messages are held`() throws {
        let value = try WebStore([]).json("/api/v1/holds")
        #expect(value["taking"] == .bool(false) && value["holds"]?.elements == [])
    }

    @Test(arguments: [true, false])
    func `a web API request turns the acceptance of holds by the web interface on or off`(
        isOn: Bool
    ) throws {
        let answer = try store().answer(.post, "/api/v1/holds/take", body: #"{"on":\#(isOn)}"#)
        #expect(answer.status == 200 && answer.json["taking"] == .bool(isOn))
        #expect(actions.calls == ["take \(isOn)"])
    }

    @Test(arguments: [
        (#"{"filter":"host=a"}"#, "intercept requests of <host=a>"),
        (
            #"{"filter":"","request":true,"response":true}"#,
            "intercept requests and responses of <>"
        ),
        (#"{"filter":null}"#, "end intercept"),
    ])
    func `a web API request holds what a filter matches, and another one ends that`(
        body: String, call: String
    ) throws {
        let answer = try store().answer(.put, "/api/v1/holds/intercept", body: body)
        #expect(answer.status == 200 && answer.json["holds"]?.elements == [])
        #expect(actions.calls == [call])
    }

    @Test(arguments: [
        "{}", #"{"filter":"hots=a"}"#, #"{"filter":"host=a","request":false}"#, #"{"filter":1}"#,
    ])
    func `an invalid intercept request in the web API is answered with 400 and holds nothing`(
        body: String
    ) throws {
        #expect(try store().answer(.put, "/api/v1/holds/intercept", body: body).status == 400)
        #expect(actions.calls.isEmpty)
    }

    @Test func `the web API resumes all held messages`() throws {
        let answer = try store().answer(.post, "/api/v1/holds/resume-all")
        #expect(answer.json["resumed"] == .number("3") && actions.calls == ["resume all"])
    }

    @Test func `the web API returns the head of a held message and its body, if that is held`()
        throws
    {
        let store = try store()
        actions.setHold(head: "GET http://h/ HTTP/1.1\r\nA: ü\r\n\r\n", content: [0x61, 0xFF])
        var value = try store.json("/api/v1/holds/3")
        #expect(value["head"]?.text == "GET http://h/ HTTP/1.1\r\nA: ü\r\n\r\n")
        #expect(value["body_text"]?.text == "aÿ" && value["untrusted"] == .bool(true))
        actions.setHold(head: "x", content: nil)
        value = try store.json("/api/v1/holds/3")
        #expect(value["body_text"] == .null)
        #expect(actions.calls == ["open 3", "open 3"])
    }

    @Test(arguments: [
        ("resume", "{}", "resume as it is as it is"), ("resume", "", "resume as it is as it is"),
        ("resume", #"{"head":"H","body_text":"B"}"#, "resume <H> <B>"),
        ("resume", #"{"head":null,"body_text":""}"#, "resume as it is <>"),
        ("answer", #"{"head":"HTTP/1.1 200 OK","body_text":"B"}"#, "answer <HTTP/1.1 200 OK> <B>"),
        ("answer", #"{"head":"H"}"#, "answer <H> <>"), ("drop", "{}", "drop"),
    ])
    func `the web API resumes, answers or drops a held message as requested`(
        decision: String, body: String, call: String
    ) throws {
        let answer = try store().answer(.post, "/api/v1/holds/3/\(decision)", body: body)
        #expect(answer.status == 200 && answer.json["done"] == .bool(true))
        #expect(actions.calls == ["open 3", call])
    }

    @Test(arguments: [
        ("3/answer", "{}", 400), ("3/resume", #"{"head":1}"#, 400),
        ("3/answer", #"{"head":"H","body_text":[]}"#, 400), ("3/keep", "{}", 404),
        ("x/resume", "{}", 404), ("99999999999999999999/drop", "{}", 404), ("3/drop", "[]", 400),
    ])
    func `the web API rejects an invalid decision about a held message and does not carry it out`(
        path: String, body: String, status: Int
    ) throws {
        let answer = try store().answer(.post, "/api/v1/holds/\(path)", body: body)
        #expect(answer.status == status)
        #expect(actions.calls.allSatisfy { $0 == "open 3" })
    }

    @Test(arguments: [
        (HoldProblem.Kind.notHeld, 404), (.taken, 409), (.badEdit, 422),
    ])
    func `the web API returns 404 if a message is not held, 409 if claimed, 422 for a bad edit`(
        kind: HoldProblem.Kind, status: Int
    ) throws {
        actions.fail(HoldProblem(kind, "hold 3: no"))
        for (method, path) in [(HTTPMethod.get, "3"), (.post, "3/resume"), (.post, "3/drop")] {
            let answer = try store().answer(method, "/api/v1/holds/\(path)")
            #expect(answer.status == status && answer.json["detail"]?.text == "hold 3: no")
        }
    }

    @Test
    func `if handling a held message fails unexpectedly, the web API answers 502 with the reason`()
        throws
    {
        actions.fail(ScriptedActions.Refused(description: "hold 3 has ended"))
        for (method, path) in [(HTTPMethod.get, "3"), (.post, "3/resume"), (.post, "3/drop")] {
            let answer = try store().answer(method, "/api/v1/holds/\(path)")
            #expect(answer.status == 502 && answer.json["detail"]?.text == "hold 3 has ended")
        }
    }
}
