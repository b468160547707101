import ProxydCaptureModel
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import Testing

/// Events and comments as JSON and as text.
struct EventMessageTests {
    private func message(
        _ lines: [UInt8], _ kind: MessageRecord.Kind = .event
    ) -> MessageRow {
        MessageRow(
            position: 0, direction: .toClient, kind: kind, flags: [], atNs: 0,
            byteCount: Int64(lines.count), wireByteCount: Int64(lines.count), problem: nil,
            bytes: lines)
    }

    private func json(_ message: MessageRow) -> String {
        let members: [JSONValue.Member] =
            if case .object(let members) = MessageJSON.value(message) { members } else { [] }
        let content = JSONValue.object(Array(members.dropFirst(5)))
        return String(decoding: (try? JSONWriter().write(content)) ?? [], as: UTF8.self)
    }

    private func line(_ message: MessageRow) -> String {
        MessageText.line(of: message, byteCountMax: 1_000)
    }

    @Test
    func `a server-sent event is shown with its fields and joined data, both in JSON and in text`()
    {
        let event = message(Array("event: a\nid: 7\ndata: x\n: no\ndata: y\nretry: 5".utf8))
        #expect(json(event) == #"{"event":"a","id":"7","retry":5,"text":"x\ny"}"#)
        #expect(line(event) == "a  x\ny  (id 7)")
        let bare = message(Array("data".utf8))
        #expect(json(bare) == #"{"event":null,"id":null,"retry":null,"text":""}"#)
        #expect(line(bare) == "")
    }

    @Test func `server-sent event data that is not valid UTF-8 is written to JSON as Base64`() {
        let event = message(Array("data: ".utf8) + [0xFF])
        #expect(json(event) == #"{"event":null,"id":null,"retry":null,"base64":"/w=="}"#)
    }

    @Test func `a comment in an event stream is shown as its text`() {
        let comment = message(Array(": ping".utf8), .comment)
        #expect(json(comment) == #"{"text":"ping"}"#)
        #expect(line(comment) == "ping")
    }

    @Test
    func `event stream lines without data are shown unchanged; JSON also has their id and retry`() {
        let lines = message(Array("retry: 10\nid".utf8), .comment)
        #expect(json(lines) == #"{"event":null,"id":"","retry":10,"text":"retry: 10\nid"}"#)
        #expect(line(lines) == "retry: 10\nid")
    }
}
