import Capture
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydPresentation
import ProxydOperations
import ProxydStoreTestSupport
import Testing

/// Exchanges, compared or alone, as clients receive them.
struct ComparisonJSONTests {
    private let store = TemporaryStore()

    private func subjects(_ updates: (Recorder) -> [ExchangeUpdate]) throws -> [CapturedExchange] {
        let recorder = try store.recorder()
        let updates = updates(recorder)
        for update in updates { recorder.record(update) }
        recorder.stop()
        let reader = try store.reader()
        return try updates.map { try #require(try reader.captured($0.id)) }
    }

    private func lines(_ section: JSONValue) -> [String] {
        (section["lines"]?.elements ?? []).map { line in
            let text = (line["spans"]?.elements ?? []).map { span -> String in
                guard case .string(let text)? = span["text"] else { return "?" }
                return text
            }
            guard case .string(let kind)? = line["kind"] else { return "?" }
            return kind + " " + text.joined()
        }
    }

    @Test func `the comparison of two exchanges lists their equal, removed and added lines`() throws
    {
        let subjects = try subjects { recorder in
            [
                Samples.complete(recorder.nextExchangeID(), "/a", responseBody: Array("x\ny".utf8)),
                Samples.complete(recorder.nextExchangeID(), "/a", responseBody: Array("x\nz".utf8)),
            ]
        }
        let value = try ComparisonJSON.value(subjects[0], subjects[1])
        #expect(value["left"] == .string("1"))
        #expect(value["right"] == .string("2"))
        #expect(value["untrusted"] == .bool(true))
        let sections = value["sections"]?.elements ?? []
        #expect(sections.map { $0["title"] } == [.string("Request"), .string("Response")])
        #expect(sections.first?["removed"] == .number("0"))
        #expect(sections.last?["removed"] == .number("1"))
        let response = lines(try #require(sections.last))
        #expect(response.first == "same HTTP/1.1 200 OK")
        #expect(response.contains("removed y") && response.contains("added z"))
        #expect(response.contains("same x"))
    }

    @Test
    func `a comparison shows the error of a failed exchange in place of the missing response`()
        throws
    {
        let subjects = try subjects { recorder in
            var failed = Samples.complete(recorder.nextExchangeID())
            failed.state = .failed
            failed.responseHead = nil
            failed.responseBody = .init()
            failed.failure = ExchangeFailure(
                origin: .upstream, kind: .connectionRefused, message: "it was refused")
            return [failed, Samples.complete(recorder.nextExchangeID())]
        }
        let value = try ComparisonJSON.value(subjects[0], subjects[1])
        let response = lines(try #require(value["sections"]?.elements.last))
        #expect(response.contains { $0.hasPrefix("removed ") && $0.hasSuffix("it was refused") })
        #expect(response.contains("added HTTP/1.1 200 OK"))
    }

    @Test func `a diff of rule changes to an exchange covers only the messages that rules changed`()
        throws
    {
        let subjects = try subjects { recorder in
            var changed = Samples.complete(recorder.nextExchangeID())
            changed.events = [
                .sentResponseHead(Samples.responseHead(418, "Teapot").bytes),
                .sentResponseBody(Array("tea".utf8)),
            ]
            return [changed, Samples.complete(recorder.nextExchangeID())]
        }
        let changes = try ComparisonJSON.changes(subjects[0].exchange)["sections"]?.elements ?? []
        #expect(changes.map { $0["title"] } == [.string("Response")])
        let found = lines(try #require(changes.first))
        #expect(found.contains("removed HTTP/1.1 200 OK"))
        #expect(found.contains("added HTTP/1.1 418 Teapot"))
        #expect(found.contains("removed hello") && found.contains("added tea"))
        #expect(try ComparisonJSON.changes(subjects[1].exchange)["sections"] == .array([]))
    }

    @Test func `in the JSON of an exchange list row, exchange IDs and page positions are strings`()
        throws
    {
        let subjects = try subjects { recorder in
            _ = recorder.nextExchangeID()
            var replay = Samples.complete(recorder.nextExchangeID())
            replay.replayOf = ExchangeID(rawValue: 1)
            return [replay]
        }
        let value = RowJSON.value(subjects[0].row, position: "2")
        #expect(value["id"] == .string("2"))
        #expect(value["replay_of"] == .string("1"))
        #expect(value["position"] == .string("2"))
        #expect(value["status"] == .number("200"))
    }

    @Test
    func `a JSON span of styled text names its role and, if it has one, its background color`()
        throws
    {
        var line = StyledText("a", .key)
        line.append("b", .plain)
        #expect(
            try SpansJSON.value(line).json
                == #"[{"text":"a","role":"key"},{"text":"b","role":"plain"}]"#)
        let marked = StyledText("x", Style(.bad, on: .removed))
        #expect(
            try SpansJSON.value(marked).json
                == #"[{"text":"x","role":"bad","background":"removed"}]"#)
    }

    @Test func `an exchange read from the store includes the bytes of a malformed request head`()
        throws
    {
        let head = Array("GET / HTTP/1.1\r\nA : b\r\n\r\n".utf8)
        let subjects = try subjects { recorder in
            var update = Samples.complete(recorder.nextExchangeID())
            update.state = .failed
            (update.requestHead, update.url, update.responseHead) = (nil, nil, nil)
            update.malformedHead = head
            return [update, Samples.complete(recorder.nextExchangeID())]
        }
        #expect(subjects[0].malformedHead == head)
        #expect(subjects[1].malformedHead == nil)
        let reader = try store.reader()
        #expect(try reader.captured(ExchangeID(rawValue: 99)) == nil)
    }
}
