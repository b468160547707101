import ProxydHTTPWire
import Testing

struct ServerSentEventTests {
    @Test
    func `data lines of an event are joined with LF, and one space after the colon is dropped`() {
        #expect(read("data: a\ndata:b\r\ndata:  c\rdata").text == "a\nb\n c\n")
        #expect(read("data").data == [])
        #expect(read("data:").data == [])
        #expect(read("id: 1").data == nil)
        #expect(read("data: a:b").text == "a:b")
    }

    @Test
    func `an event's last type and ID win; an empty type means none, and an empty ID resets it`() {
        #expect(read("event: a\nevent: b").event == "b")
        #expect(read("event: a\nevent").event == nil)
        #expect(read("id: 1\nid").id == "")
        #expect(read("id:1").id == "1")
        #expect(read("data: 1").id == nil)
    }

    @Test func `an event ID that contains NUL is ignored`() {
        #expect(read("id: 1\nid: 2\03").id == "1")
    }

    @Test func `a retry field must be all digits, and a value that is too large is clamped`() {
        #expect(read("retry: 3000").retryMs == 3000)
        #expect(read("retry: 3000\nretry: 1s").retryMs == 3000)
        for value in ["-1", "+1", "1.5", "1 ", " 1", "", "0x10", "1e3", "\u{0663}"] {
            #expect(read("retry: " + value).retryMs == nil, "\(value)")
        }
        #expect(read("retry: 9223372036854775807").retryMs == .max)
        #expect(read("retry: 99999999999999999999999999").retryMs == .max)
    }

    @Test func `event field names must match exactly, and unknown fields are ignored`() {
        #expect(read("Data: a\n data: b\ndata : c\ndataset: d\n\0data: e") == ServerSentEvent())
    }

    @Test func `comments inside an event are kept apart from its fields`() {
        let event = read(": one\ndata: a\n:two")
        #expect(event.comment == "one\ntwo")
        #expect(event.text == "a")
        #expect(read(":").comment == "")
    }

    @Test func `invalid UTF-8 stays unchanged in an event's data but is replaced in its type`() {
        let event = ServerSentEvent(
            lines: (Array("event: ".utf8) + [0xFF, 0x0A]
                + Array("data: ".utf8) + [0xFF]).span)
        #expect(event.event == "\u{FFFD}")
        #expect(event.data == [0xFF])
    }

    private func read(_ lines: String) -> ServerSentEvent {
        ServerSentEvent(lines: Array(lines.utf8).span)
    }
}
