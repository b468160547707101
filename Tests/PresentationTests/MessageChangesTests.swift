import ProxydHTTPModel
import ProxydPresentation
import Testing

/// What rules changed, as a comparison.
struct MessageChangesTests {
    private func exchange(_ change: (inout Exchange) -> Void) -> Exchange {
        let fields = HeaderFields([(name: "Host", value: "a.test"), (name: "A", value: "1")])
        var exchange = Exchange(
            id: ExchangeID(rawValue: 1), state: .complete,
            request: Request(
                url: nil, head: RequestHead(method: .get, target: Array("/".utf8), fields: fields),
                body: Body(Array("one\ntwo".utf8))),
            response: Response(
                head: ResponseHead(status: 200, reason: "OK", fields: HeaderFields()),
                body: Body(Array("hello".utf8))),
            timeline: Timeline(wallStart: 0, start: 0))
        change(&exchange)
        return exchange
    }

    private func sections(_ change: (inout Exchange) -> Void) throws -> [DiffSection] {
        try MessageChanges.sections(of: exchange(change)) { false }
    }

    private func text(_ section: DiffSection?) -> [String] {
        section?.lines.map { $0.sign + $0.text.text } ?? []
    }

    @Test func `messages that were forwarded unchanged have no diff`() throws {
        #expect(try sections { _ in }.isEmpty)
    }

    @Test func `a changed message head is diffed line by line`() throws {
        let found = try sections {
            $0.request.sentHead = RequestHead(
                method: .get, target: Array("/".utf8),
                fields: HeaderFields([(name: "Host", value: "b.test"), (name: "A", value: "1")]))
        }
        #expect(found.map(\.title) == ["Request"])
        #expect(
            text(found.first) == [" GET / HTTP/1.1", "-Host: a.test", "+Host: b.test", " A: 1"])
    }

    @Test func `a changed message body is diffed below the unchanged head`() throws {
        let found = try sections { $0.request.sentBody = Body(Array("one\n2".utf8)) }
        let lines = text(found.first)
        #expect(lines.starts(with: [" GET / HTTP/1.1", " Host: a.test", " A: 1"]))
        #expect(lines.suffix(3) == [" one", "-two", "+2"])
    }

    @Test func `changes to request and response are diffed in two sections, the request first`()
        throws
    {
        let found = try sections {
            $0.request.sentBody = Body()
            $0.response?.sentHead = ResponseHead(status: 418, reason: "Tea", fields: .init())
        }
        #expect(found.map(\.title) == ["Request", "Response"])
        #expect(text(found.last) == ["-HTTP/1.1 200 OK", "+HTTP/1.1 418 Tea"])
    }

    @Test func `a cancelled comparison of received and sent messages throws CancellationError`() {
        #expect(throws: CancellationError.self) {
            let changed = exchange { $0.request.sentBody = Body(Array("x\ny\nz".utf8)) }
            return try MessageChanges.sections(of: changed) { true }
        }
    }
}
