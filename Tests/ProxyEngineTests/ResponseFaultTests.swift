import ProxydHTTPModel
import ProxydHTTPWire
import Testing

@testable import ProxydProxyEngine

/// What a broken server sent is on the row: refused, with what came, or mended, with what was.
struct ResponseFaultTests {
    private static let invalid = [
        "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nearly",
    ]

    @Test(arguments: invalid)
    func `a rejected response is recorded with its bytes and the reason`(answer: String) throws {
        let outcome = try Playbook.exchange(answer: answer)
        #expect(outcome.status == 502)
        let row = try #require(outcome.rows.first)
        let refusal = try #require(row.fault?.refusal)
        #expect(refusal.bytes == WireOutcome.bytes(answer))
        #expect(refusal.reason == row.failure?.message)
        #expect(row.fault?.repairs == [])
    }

    @Test(arguments: invalid)
    func `a rejected response that arrives byte by byte is recorded as far as it was read`(
        answer: String
    ) throws {
        let row = try Playbook.play(pieceByteCount: 1) { book in
            book.requests(Playbook.plainGet)
            book.connects()
            book.answers(answer)
            return book.sink.rows.first
        }
        let bytes = try #require(row?.fault?.refusal?.bytes)
        #expect(!bytes.isEmpty && WireOutcome.bytes(answer).starts(with: bytes))
    }

    @Test func `only the first 64 KiB of a rejected response are recorded`() throws {
        let answer = "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 400_000)
        let outcome = try Playbook.exchange(answer: answer)
        #expect(outcome.status == 502)
        let bytes = try #require(outcome.rows.first?.fault?.refusal?.bytes)
        #expect(bytes == Array(WireOutcome.bytes(answer).prefix(65_536)))
    }

    @Test func `if a response body is malformed, the bytes around the fault are recorded`() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let row = try Playbook.play { book in
            book.requests(Playbook.plainGet)
            book.connects()
            book.answers(head + "2\r\nab\r\n")
            book.answers("3\r\ncdeXX")
            return book.sink.rows.first
        }
        #expect(row?.status == 200)
        #expect(row?.responseBody == WireOutcome.bytes("abcde"))
        #expect(row?.fault?.refusal?.bytes == WireOutcome.bytes("3\r\ncdeXX"))
        #expect(row?.fault?.refusal?.reason == row?.failure?.message)
    }

    @Test func `the failure message for a stalled response body says that the server sent no more`()
        throws
    {
        var configuration = EngineConfiguration()
        configuration.bodyIdleTimeoutNs = 1_000_000_000
        let row = try Playbook.play(configuration: configuration) { book in
            book.requests(Playbook.plainGet)
            book.connects()
            book.answers("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")
            book.passes(seconds: 2)
            return book.sink.rows.first
        }
        #expect(row?.failure?.message == "the server sent no more of its response in time")
    }

    @Test
    func `the received part of a response head that is cut off or never completed is recorded`()
        throws
    {
        let cut = "HTTP/1.1 200 OK\r\nContent-Le"
        let closed = try Playbook.exchange(answer: cut, serverEnds: true)
        #expect(closed.status == 502)
        #expect(closed.rows.first?.fault?.refusal?.bytes == WireOutcome.bytes(cut))
        let (silent, row) = try Playbook.play { book in
            book.requests(Playbook.plainGet)
            book.connects()
            book.answers(cut)
            book.passes(seconds: 400)
            return (book.outcome, book.sink.rows.first)
        }
        #expect(silent.status == 504)
        #expect(row?.fault?.refusal?.bytes == WireOutcome.bytes(cut))
        #expect(row?.fault?.refusal?.reason == "the server did not begin its response in time")
        let gone = try Playbook.play { book in
            book.requests(Playbook.plainGet)
            book.connects()
            book.answers(cut)
            book.clientBreaks()
            return book.sink.rows.first
        }
        #expect(gone?.fault?.refusal?.bytes == WireOutcome.bytes(cut))
        #expect(gone?.fault?.refusal?.reason.hasPrefix("the response was not complete yet") == true)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "xyz"),
        ("HTTP/1.1 204 No\r\n\r\n", "body"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"),
    ])
    func `bytes after the end of a response are recorded with the reason for rejecting them`(
        answer: String, more: String
    ) throws {
        let outcome = try Playbook.exchange(answer: answer + more)
        let row = try #require(outcome.rows.first)
        #expect(row.state == .complete && row.failure == nil)
        #expect(row.fault?.refusal?.bytes == WireOutcome.bytes(more))
        #expect(row.fault?.refusal?.reason == "bytes came after the end of the response")
    }

    @Test func `the received part of response trailers that are cut off is recorded`() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n"
        let outcome = try Playbook.exchange(answer: head + "Z: v\r\n", serverEnds: true)
        let row = try #require(outcome.rows.first)
        #expect(row.state == .failed)
        #expect(row.fault?.refusal?.bytes == WireOutcome.bytes("Z: v\r\n"))
    }

    @Test func `repairs of one response are not recorded with the next one on the connection`()
        throws
    {
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        let rows = try Playbook.play { book in
            book.requests(Playbook.plainGet)
            book.connects()
            book.answers(chunked + "A b: 1\r\nZ: \u{1}v\r\n\r\n")
            book.requests(Playbook.plainGet)
            book.answers("garbage\r\n\r\n")
            return book.sink.rows
        }
        #expect(rows.map { $0.fault?.repairs.count } == [2, 0])
    }

    @Test(arguments: [
        "HTTP/1.1 204 No\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
    ])
    func `a valid response is recorded without a fault, and the server connection stays open`(
        answer: String
    )
        throws
    {
        let outcome = try Playbook.exchange(answer: answer)
        #expect(outcome.rows.map(\.fault) == [nil])
        #expect(outcome.serverEndings == [nil])
    }

    /// An answer, what goes to the client, and whether the server's connection is kept.
    private static let mended: [(String, String, Bool)] = [
        (
            "HTTP/1.1 204 No\r\nA: b\u{B}c\r\nMy Name: d\r\n\r\n",
            "HTTP/1.1 204 No\r\nA: b c\r\n\r\n", true
        ),
        (
            "HTTP/1.1 204 No\r\nContent-Length\u{B}: 5\r\n\r\n", "HTTP/1.1 204 No\r\n\r\n",
            false
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nhi\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", false
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", false
        ),
        (
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", false
        ),
    ]

    @Test(arguments: mended)
    func `a response with tolerated faults is repaired and forwarded, and the repairs are recorded`(
        answer: String, sent: String, isKept: Bool
    ) throws {
        let outcome = try Playbook.exchange(answer: answer)
        #expect(outcome.client == sent)
        let row = try #require(outcome.rows.first)
        #expect(row.state == .complete && row.failure == nil)
        #expect(row.fault?.repairs.isEmpty == false && row.fault?.refusal == nil)
        #expect(row.responseHead.map(WireOutcome.bytes(answer).starts) == true)
        #expect(outcome.serverEndings == [isKept ? nil : .closed])
    }

    @Test(arguments: mended)
    func `with strict_responses, a response with tolerated faults is rejected`(
        answer: String, sent: String, isKept: Bool
    ) throws {
        var configuration = EngineConfiguration()
        configuration.wireLimits.hasStrictResponses = true
        let outcome = try Playbook.exchange(answer: answer, configuration: configuration)
        #expect(outcome.client != sent)
        #expect(outcome.rows.first?.state == .failed)
        #expect(outcome.rows.first?.fault?.refusal?.bytes == WireOutcome.bytes(answer))
    }

    @Test
    func `a response head lacking only its final empty line is accepted if no body is announced`()
        throws
    {
        let head = "HTTP/1.1 200 OK\r\nA: b\r\n"
        let whole = try Playbook.exchange(answer: head, serverEnds: true)
        #expect(whole.client == head + "Connection: close\r\n\r\n")
        #expect(whole.rows.first?.state == .complete)
        #expect(whole.rows.first?.fault?.repairs.count == 1)
        #expect(whole.rows.first?.responseHead == WireOutcome.bytes(head))
        let promise = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"
        let cut = try Playbook.exchange(answer: promise, serverEnds: true)
        #expect(cut.client == promise + "\r\n")
        #expect(cut.rows.first?.state == .failed)
        #expect(cut.clientEnding == .closed)
    }

    @Test
    func `if TLS ends without close_notify during a response head, the client gets a 502`()
        throws
    {
        let outcome = try Playbook.play { book in
            book.requests(Playbook.plainGet)
            book.connects()
            book.answers("HTTP/1.1 200 OK\r\nA: b\r\n")
            book.serverEnds(isClean: false)
            return book.outcome
        }
        #expect(outcome.status == 502)
        #expect(outcome.rows.first?.fault?.refusal?.bytes.count == 23)
    }
}
