import ProxydContentCoding
import ProxydPresentation
import Testing

/// Server-sent events as numbered events.
struct EventStreamViewTests {
    private func lines(_ text: String) -> [String] {
        Viewed.lines("events", "text/event-stream", Array(text.utf8)).map {
            String($0.dropFirst(2))
        }
    }

    @Test func `empty lines between server-sent events do not count as events`() {
        #expect(
            lines("\n\ndata: a\n\n\n\ndata: b\n\n").filter { $0.hasPrefix("#") }
                == ["#1    data: a", "#2    data: b"])
    }

    @Test func `an event stream may start with a byte order mark and mix CR, LF and CRLF`() {
        let text = "\u{FEFF}data: one\r\rdata: two\ndata: three\r\n\r\nevent: e\rdata: four\r\r"
        #expect(
            lines(text).map { $0.trimmingSpaces } == [
                "#1    data: one", "", "#2    data: two", "data: three", "", "#3    event: e",
                "data: four", "",
            ])
    }

    @Test func `in an event stream, a CRLF that arrives in two pieces counts as one line break`() {
        let bytes = Array("data: a\r\n\r\ndata: b\r\n".utf8)
        for cut in 0...bytes.count {
            let body = DrippingBody(bytes)
            var viewer = Viewed.viewer(
                "events", BodyFacts(contentType: "text/event-stream", bytes: bytes), body)
            body.grow(to: cut)
            viewer.advance(byteBudget: 1_000)
            body.grow(to: bytes.count)
            Viewed.finish(&viewer)
            #expect(
                Viewed.text(viewer).map { $0.trimmingSpaces } == [
                    "#1    data: a", "", "#2    data: b",
                ], "cut at \(cut)")
        }
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `a server-sent event ends at an empty line, whether lines end with LF, CRLF or CR`(
        end: String
    ) {
        let text = ["id: 1", "data: a", "", "data: b", ""].joined(separator: end)
        #expect(
            lines(text).map { $0.trimmingSpaces } == [
                "#1    id: 1", "data: a", "", "#2    data: b",
            ])
    }

    @Test(arguments: [
        ("data:a", "#1    data: a"), ("data: a", "#1    data: a"), ("data:  a", "#1    data:  a"),
        ("data", "#1    data"), (":comment", "#1    :comment"), ("data: a: b", "#1    data: a: b"),
        ("data: \u{1B}[2J", "#1    data: \\x1B[2J"),
    ])
    func `the event stream viewer adds the optional space after a field's colon if it is missing`(
        text: String, line: String
    ) {
        #expect(lines(text) == [line])
    }

    @Test
    func `when a long server-sent event is split, only its first line has the event's number`() {
        let found = lines("data: " + String(repeating: "a", count: 10_000) + "\n\ndata: b\n")
        #expect(found.count { $0.hasPrefix("#") } == 2)
        #expect(found.filter { $0.contains("aaa") }.count > 1)
        #expect(found.last?.hasPrefix("#2") == true)
    }

    @Test func `event numbers continue when more of the event stream arrives`() {
        let text = (1...50).map { "data: \($0)\n\n" }.joined()
        let bytes = Array(text.utf8)
        let body = DrippingBody(bytes)
        var viewer = Viewed.viewer(
            "events", BodyFacts(contentType: "text/event-stream", bytes: bytes), body)
        for end in stride(from: 7, through: bytes.count + 7, by: 7) {
            body.grow(to: end)
            viewer.advance(byteBudget: 1 << 20)
        }
        Viewed.finish(&viewer)
        let numbered = Viewed.text(viewer).filter { $0.contains("#") }
        #expect(numbered.count == 50 && numbered.last?.contains("#50   data: 50") == true)
    }
}

extension String {
    fileprivate var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
