import ProxydHTTPModel
import ProxydPresentation
import Testing

/// Heads of messages as lines.
struct HeadLinesTests {
    private let fields = HeaderFields([(name: "Host", value: "a.test"), (name: "X", value: "")])

    private func request(_ trailers: HeaderFields? = nil) -> Request {
        var request = Request(
            url: nil, head: RequestHead(method: .put, target: Array("/p".utf8), fields: fields))
        request.trailers = trailers
        return request
    }

    @Test func `a request head is shown as its start line and its fields`() {
        let lines = HeadLines.request(request(), malformed: nil)
        #expect(lines.map(\.text) == ["PUT /p HTTP/1.1", "Host: a.test", "X: "])
        #expect(lines[1].runs.map(\.style.foreground) == [.key, .punctuation, .plain])
    }

    @Test func `trailers are shown below a heading, which is omitted if there are none`() {
        let trailers = HeaderFields([(name: "Sum", value: "1")])
        let lines = HeadLines.request(request(trailers), malformed: nil).map(\.text)
        #expect(lines.suffix(3) == ["", "trailers", "Sum: 1"])
        #expect(HeadLines.request(request(HeaderFields()), malformed: nil).count == 3)
    }

    @Test func `a request head that cannot be parsed is shown as it was received`() {
        let head = Array("GET /\r\nA : b\n\u{1B}".utf8) + [0xFF]
        let lines = HeadLines.request(Request(url: nil, head: nil), malformed: head)
        #expect(lines.map(\.text) == ["GET /", "A : b", "\u{1B}\\xFF"])
        #expect(lines[2].runs.last?.style.foreground == .escape)
    }

    @Test func `only the first 64 KiB of a malformed request head are shown`() {
        let head = [UInt8](repeating: 0x61, count: 1 << 20)
        let lines = HeadLines.request(Request(url: nil, head: nil), malformed: head)
        #expect(lines.map(\.text.utf8.count) == [64 << 10])
    }

    @Test func `the status line of a response has the colour of its status`() {
        let response = Response(
            head: ResponseHead(status: 503, reason: "Busy", fields: fields), body: Body())
        let lines = HeadLines.response(response, error: nil)
        #expect(lines.map(\.text) == ["HTTP/1.1 503 Busy", "Host: a.test", "X: "])
        #expect(lines[0].runs.first?.style.foreground == .serverError)
    }

    @Test func `the error message is shown in place of a missing response`() {
        #expect(HeadLines.response(nil, error: "it was refused").map(\.text) == ["it was refused"])
        #expect(HeadLines.response(nil, error: nil).map(\.text) == ["no response"])
    }

    @Test func `a header field that must not be compressed is shown as never indexed`() {
        let bytes = Array("a: b\r\n".utf8)
        let line = HeaderFields.Line(
            start: 0, nameEnd: 1, valueStart: 3, valueEnd: 4, end: 6, name: .other,
            coding: FieldCoding(.neverIndexed))
        let lines = HeadLines.fields(HeaderFields(bytes: bytes, lines: [line]))
        #expect(lines.map(\.text) == ["a: b  never indexed"])
    }
}
