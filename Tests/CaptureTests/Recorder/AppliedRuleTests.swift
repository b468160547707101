import Capture
import ProxydCaptureModel
import ProxydFilter
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

/// What rules did is kept beside the exchange.
@Suite struct `Applied rules` {
    let store = TemporaryStore()

    private static let rows =
        "SELECT exchange_id, position, rule, phase, outcome, detail FROM applied_rule"
    private static let changed = AppliedRule(rule: "staging", phase: .request, outcome: "changed")
    private static let late = AppliedRule(
        rule: "slow", phase: .response, outcome: "no body", detail: "204\nhas none")

    private func update(_ recorder: Recorder, _ events: [ExchangeEvent]) -> ExchangeUpdate {
        var update = Samples.complete(recorder.nextExchangeID(), "/changed")
        update.events = events
        return update
    }

    @Test func `applied rules are stored in the order in which they were applied`() throws {
        let recorder = try store.recorder()
        recorder.record(
            update(
                recorder,
                [.appliedRule(Self.changed), .appliedRule(Self.late), .appliedRule(Self.changed)]))
        recorder.recordSample("/untouched")
        try recorder.flush()
        #expect(
            try store.sql(Self.rows) == [
                "1|0|staging|request|changed|NULL", "1|1|slow|response|no body|204\nhas none",
                "1|2|staging|request|changed|NULL",
            ])
        #expect(try store.sql("SELECT rules FROM exchanges") == [#"["staging","slow"]"#, "[]"])
        recorder.stop()
    }

    @Test
    func `a stored exchange is read back with its applied rules and forwarded heads and bodies`()
        throws
    {
        let recorder = try store.recorder()
        let head = Samples.responseHead(418, "Teapot", fields: [("X-New", "1")])
        let update = update(
            recorder,
            [
                .appliedRule(Self.changed), .sentRequestBody(Array("up".utf8)),
                .sentResponseHead(head.bytes), .sentResponseBody(Array("down".utf8)),
                .appliedRule(Self.late), .appliedRule(Self.changed),
            ])
        recorder.record(update)
        recorder.recordSample("/untouched")
        try recorder.flush()
        let exchange = try #require(try store.reader().exchange(update.id))
        #expect(exchange.appliedRules == [Self.changed, Self.late, Self.changed])
        #expect(exchange.request.sentBody == Body(Array("up".utf8)))
        #expect(exchange.request.sentHead == nil)
        #expect(exchange.response?.head.status == 200)
        #expect(exchange.response?.sentHead == head)
        #expect(exchange.response?.sentBody == Body(Array("down".utf8)))
        #expect(try store.reader().row(update.id)?.rules == ["staging", "slow"])
        let other = try #require(try store.reader().exchange(ExchangeID(rawValue: 2)))
        #expect(other.appliedRules.isEmpty && other.events.isEmpty)
        #expect(other.request.sentBody == nil && other.response?.sentBody == nil)
        #expect(try store.reader().row(other.id)?.rules == [])
        recorder.stop()
    }

    @Test func `a body that a rule emptied is stored as an empty forwarded body`() throws {
        let recorder = try store.recorder()
        let update = update(recorder, [.sentRequestBody([]), .sentResponseBody([])])
        recorder.record(update)
        try recorder.flush()
        let exchange = try #require(try store.reader().exchange(update.id))
        #expect(exchange.request.sentBody == Body())
        #expect(exchange.response?.body.byteCount == 5)
        #expect(exchange.response?.sentBody == Body())
        recorder.stop()
    }

    @Test func `a forwarded body that was only partly kept is read back with its full length`()
        throws
    {
        let recorder = try store.recorder()
        let head = Samples.responseHead(fields: [("Content-Length", "900")])
        let update = update(
            recorder, [.sentResponseHead(head.bytes), .sentResponseBody(Array("down".utf8))])
        recorder.record(update)
        try recorder.flush()
        let sent = try store.reader().exchange(update.id)?.response?.sentBody
        #expect(sent == Body(byteCount: 900, kept: Array("down".utf8)))
        recorder.stop()
    }

    @Test
    func `if the server sent no response, the one sent to the client is recorded in its place`()
        throws
    {
        let recorder = try store.recorder()
        let head = Samples.responseHead(503, "Mocked")
        var update = update(
            recorder, [.sentResponseHead(head.bytes), .sentResponseBody(Array("down".utf8))])
        update.responseHead = nil
        update.responseBody = .init()
        recorder.record(update)
        try recorder.flush()
        let response = try store.reader().exchange(update.id)?.response
        #expect(response == Response(head: head, body: Body(Array("down".utf8))))
        recorder.stop()
    }

    @Test func `storing a copy of an exchange keeps its applied rules and forwarded messages`()
        throws
    {
        let recorder = try store.recorder()
        let head = Samples.responseHead(418, "Teapot")
        let update = update(
            recorder,
            [
                .sentRequestBody([]), .sentResponseHead(head.bytes),
                .sentResponseBody(Array("down".utf8)), .appliedRule(Self.late),
            ])
        recorder.record(update)
        try recorder.flush()
        let first = try #require(try store.reader().exchange(update.id))
        let id = try #require(try recorder.numbers(storing: [first]).first)
        let second = try #require(try store.reader().exchange(id))
        #expect(second.events == first.events && first.events.count == 4)
        recorder.stop()
    }

    @Test func `rules applied later in a long exchange are numbered after the earlier ones`() throws
    {
        let recorder = try store.recorder()
        var update = Samples.begun(recorder.nextExchangeID())
        update.events = [.appliedRule(Self.changed)]
        recorder.record(update)
        try recorder.flush()
        for state in [ExchangeState.active, .complete] {
            var later = Samples.later(update.id, state)
            later.events = [.appliedRule(Self.late), .tagged("late")]
            recorder.record(later)
            try recorder.flush()
        }
        #expect(
            try store.sql("SELECT position, rule FROM applied_rule")
                == ["0|staging", "1|slow", "2|slow"])
        #expect(
            try store.sql("SELECT rules, tags FROM exchanges")
                == [#"["staging","slow"]|["late"]"#])
        recorder.stop()
    }

    @Test func `special characters in rule names are escaped in the JSON of the SQL view`() throws {
        let recorder = try store.recorder()
        let rule = AppliedRule(rule: "a\"b\\c,\td", phase: .connect, outcome: "routed")
        recorder.record(update(recorder, [.appliedRule(rule)]))
        try recorder.flush()
        #expect(try store.sql("SELECT rules FROM exchanges") == [#"["a\"b\\c, d"]"#])
        recorder.stop()
    }

    @Test
    func `long rule texts are truncated, and an exchange's rules and tags are limited in number`()
        throws
    {
        let recorder = try store.recorder()
        let long = String(repeating: "é", count: 10_000)
        let rule = AppliedRule(rule: long, phase: .request, outcome: long, detail: long)
        recorder.record(update(recorder, [.appliedRule(rule), .tagged(long)]))
        let rules = [ExchangeEvent](repeating: .appliedRule(Self.changed), count: 5_000)
        let tags = (0..<200).map { ExchangeEvent.tagged("\($0)") }
        recorder.record(update(recorder, rules + tags + [.tagged("")]))
        try recorder.flush()
        let counts = """
            SELECT count(*), max(length(rule)), max(length(outcome)), max(length(detail))
            FROM applied_rule GROUP BY exchange_id
            """
        #expect(try store.sql(counts) == ["1|128|128|2048", "4096|7|7|NULL"])
        #expect(
            try store.sql("SELECT count(*), max(length(tag)) FROM tag GROUP BY exchange_id")
                == ["1|128", "100|2"])
        recorder.stop()
    }

    @Test func `a tag set by a rule can be removed like a user's tag and is never added twice`()
        throws
    {
        let recorder = try store.recorder()
        let update = update(recorder, [.tagged("run-17"), .tagged("run-17"), .tagged("b\n")])
        recorder.record(update)
        try recorder.flush()
        try recorder.annotate(AnnotationChange(id: update.id, addedTags: ["run-17", "mine"]))
        #expect(try store.reader().row(update.id)?.tags == ["run-17", "b ", "mine"])
        let found = try store.reader().rows(matching: Filter.parse("tag=run-17"), .oldest, limit: 9)
        #expect(found.map(\.id) == [update.id])
        try recorder.annotate(AnnotationChange(id: update.id, removedTags: ["run-17"]))
        #expect(try store.reader().row(update.id)?.tags == ["b ", "mine"])
        recorder.stop()
    }

    @Test func `applied rules are removed together with their exchange`() throws {
        let recorder = try store.recorder()
        let first = update(recorder, [.appliedRule(Self.changed), .tagged("x")])
        recorder.record(first)
        recorder.record(update(recorder, [.appliedRule(Self.late)]))
        try recorder.flush()
        #expect(try recorder.clear(.exchanges([first.id])) == 1)
        #expect(try store.sql("SELECT rule FROM applied_rule") == ["slow"])
        #expect(try recorder.clear(.all) == 1)
        #expect(try store.sql("SELECT count(*) FROM applied_rule") == ["0"])
        recorder.stop()
    }

    @Test func `values that must not be stored are redacted in the details of applied rules`()
        throws
    {
        var configuration = RecorderConfiguration.forTests
        configuration.unstored = UnstoredNames(fields: ["X-Key"])
        let recorder = try store.recorder(configuration)
        let rule = AppliedRule(
            rule: "key", phase: .request, outcome: "changed", detail: "X-Key: s3cr3t")
        recorder.record(update(recorder, [.appliedRule(rule), .appliedRule(Self.late)]))
        try recorder.flush()
        #expect(
            try store.sql("SELECT rule, detail FROM applied_rule")
                == ["key|X-Key: REDACTED", "slow|204\nhas none"])
        recorder.stop()
    }

    @Test
    func `an exchange blocked by a rule is stored as failed and found by filters on failures`()
        throws
    {
        let recorder = try store.recorder()
        var update = update(recorder, [])
        update.state = .failed
        update.failure = ExchangeFailure(origin: .rule, kind: .blocked, message: "ads")
        recorder.record(update)
        try recorder.flush()
        #expect(try store.reader().row(update.id)?.error == "rule blocked: ads")
        #expect(try store.reader().exchange(update.id)?.failure == update.failure)
        for text in ["error:rule", "error:blocked", "error=\"rule blocked: ads\""] {
            let rows = try store.reader().rows(matching: Filter.parse(text), .oldest, limit: 9)
            #expect(rows.count == 1, "\(text)")
        }
        recorder.stop()
    }
}
