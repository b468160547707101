import ProxydHTTPModel
import ProxydOperations
import ProxydParameterCoding
import ProxydTestSupport
import ProxydWebServer
import Testing

/// Routes for the state of daemon and store.
struct StatusRouteTests {
    private let actions = ScriptedActions()

    private func facts(_ change: (inout StatusFacts) -> Void = { _ in }) -> StatusFacts {
        var facts = StatusFacts()
        facts.isDaemonRunning = true
        facts.storeByteCount = 4_096
        facts.droppedExchangeCount = 2
        facts.listenAddresses = ["127.0.0.1:8080", "[::1]:8080"]
        facts.certificatePath = "/d/ca/ca.pem"
        facts.daemonCommand = "proxyd --data-dir /d"
        change(&facts)
        return facts
    }

    @Test func `the web API's status route reports the state of a running daemon`() throws {
        actions.set(facts: facts())
        let store = try WebStore([Exchange.sample(1)], actions: actions.actions)
        let value = try store.json("/api/v1/status")
        #expect(value["daemon"] == .bool(true) && value["recording"] == .bool(true))
        #expect(value["exchanges"] == .number("1") && value["store_bytes"] == .number("4096"))
        #expect(value["dropped_exchanges"] == .number("2"))
        #expect(value["addresses"]?.elements.map(\.text) == ["127.0.0.1:8080", "[::1]:8080"])
        #expect(value["certificate_path"]?.text == "/d/ca/ca.pem")
        #expect(value["daemon_command"]?.text == "proxyd --data-dir /d")
        #expect(value["read_only"] == .bool(false) && value["holds"] == .number("0"))
        #expect(value["rules_problem"] == .null && value["recording_stopped_because"] == .null)
    }

    @Test
    func `the web API commits pending data before serving exchanges, but not events or files`()
        throws
    {
        let store = try WebStore([Exchange.sample(1)])
        #expect(store.response(.get, "/").status == 200)
        #expect(store.response(.get, "/api/v1/events").status == 200)
        #expect(store.response(.get, "/api/v1/nothing").status == 404)
        #expect(store.commits.count == 0)
        _ = try store.json("/api/v1/exchanges")
        _ = try store.json("/api/v1/exchanges/1")
        #expect(store.commits.count == 2)
    }

    @Test func `the web API's status route reports why the daemon stopped recording`() throws {
        actions.set(
            facts: facts {
                $0.recordingStoppedBecause = "the disk is full"
                $0.rulesProblem = "rules.toml:3: no"
            })
        let value = try WebStore([], actions: actions.actions).json("/api/v1/status")
        #expect(value["daemon"] == .bool(true) && value["recording"] == .bool(false))
        #expect(value["recording_stopped_because"]?.text == "the disk is full")
        #expect(value["rules_problem"]?.text == "rules.toml:3: no")
    }

    @Test(arguments: [nil, false])
    func `the web API's status route reports recording as off if no daemon runs`(isRunning: Bool?)
        throws
    {
        actions.set(facts: facts { $0.isDaemonRunning = isRunning })
        let value = try WebStore([], actions: actions.actions).json("/api/v1/status")
        #expect(value["daemon"] == .bool(false) && value["recording"] == .bool(false))
    }

    @Test
    func `the web API's status for a read-only store has read_only true and counts the exchanges`()
        throws
    {
        let value = try WebStore([Exchange.sample(1), Exchange.sample(2)]).json("/api/v1/status")
        #expect(value["read_only"] == .bool(true) && value["exchanges"] == .number("2"))
        #expect(value["store_bytes"] == .null && value["addresses"]?.elements == [])
    }

    @Test(arguments: [true, false])
    func `the web API pauses and resumes recording`(isOn: Bool) throws {
        actions.set(facts: facts())
        let store = try WebStore([], actions: actions.actions)
        let answer = try store.answer(.post, "/api/v1/recording", body: #"{"on":\#(isOn)}"#)
        #expect(answer.status == 200 && answer.json["daemon"] == .bool(true))
        #expect(actions.calls == ["recording \(isOn)"])
    }

    @Test(arguments: ["", "{}", #"{"on":"yes"}"#, #"{"on":1}"#])
    func `a web API request to switch recording without a Boolean value is answered with 400`(
        body: String
    ) throws {
        let store = try WebStore([], actions: actions.actions)
        #expect(try store.answer(.post, "/api/v1/recording", body: body).status == 400)
        #expect(actions.calls.isEmpty)
    }

    @Test func `a web API request with a body of a type other than JSON is answered with 415`()
        throws
    {
        let store = try WebStore([], actions: actions.actions)
        let response = store.response(
            .post, "/api/v1/recording", fields: [("Content-Type", "text/plain")],
            body: #"{"on":true}"#, isJSON: false)
        #expect(response.status == 415 && actions.calls.isEmpty)
    }

    @Test func `the events route of the web API answers with an event stream`() throws {
        let response = try WebStore([]).response(.get, "/api/v1/events")
        #expect(response.status == 200)
        #expect(response.fields.contains { $0 == ("Content-Type", "text/event-stream") })
        if case .feed = response.body { return }
        Issue.record("not a feed")
    }
}
