import Foundation
import ProxydSystem
import ProxydWebServer
import Synchronization
import Testing
import ProxydHTTPModel

struct WebServerTests {
    private func talk(_ limits: WebLimits = WebLimits()) throws -> WebTalk {
        try WebTalk(limits: limits) { router in
            router.add(.get, "/") { _ in WebResponse(type: "text/plain", Array("page".utf8)) }
            router.add(.get, "/api/echo/{word}") { request in
                let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
                return WebResponse(
                    type: "text/plain", Array("<\(request.segment("word"))|\(query)>".utf8))
            }
            router.add(.post, "/api/echo/{word}") { WebResponse(type: "text/plain", $0.body) }
            router.add(.get, "/api/pieces") { _ in
                WebResponse(
                    body: .pieces { writer in
                        for word in ["one", "two"] { try writer.write(Array(word.utf8)) }
                    })
            }
            router.addUpload("/api/upload/{size}") { request in
                guard let size = Int64(request.segment("size")) else {
                    throw WebProblem(409, "no size")
                }
                return KeptUpload(upTo: size)
            } _: { request in
                let upload = request.upload as? KeptUpload
                return WebResponse(type: "text/plain", Array("<\(upload?.byteCount ?? -1)>".utf8))
            }
            router.add(.get, "/api/broken") { _ in
                WebResponse(
                    body: .pieces { writer in
                        try writer.write(Array("start".utf8))
                        throw WebProblem(500, "lost")
                    })
            }
        }
    }

    @Test func `a web server route receives decoded path segments and query parameters`() throws {
        let answer = try talk().answer("GET /api/echo/a%2Fb%20c?q=1+2&r=%C3%A9")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("<a/b c|q=1 2&r=é>"))
        #expect(answer.contains("\r\nX-Common: yes\r\n"))
    }

    @Test func `the web server answers a request that arrives byte by byte`() throws {
        let talk = try talk()
        let connection = try talk.connect()
        let text = talk.request("POST /api/echo/x", "Connection: close", body: "hello")
        for character in text { connection.send(String(character)) }
        #expect(connection.readToEnd().hasSuffix("\r\n\r\nhello"))
    }

    @Test func `the web server answers pipelined requests in order`() throws {
        let talk = try talk()
        let connection = try talk.connect()
        connection.send(
            talk.request("GET /api/echo/1") + talk.request("POST /api/echo/2", body: "<2>")
                + talk.request("GET /api/echo/3", "Connection: close"))
        let answers = connection.readToEnd()
        let places = ["<1|>", "<2>", "<3|>"].map { answers.range(of: $0)?.lowerBound }
        #expect(places.allSatisfy { $0 != nil })
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    }

    @Test func `the web server answers HEAD like GET but without a body`() throws {
        let answer = try talk().answer("HEAD /api/echo/x")
        #expect(answer.contains("Content-Length: 4\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test
    func `an unknown path gets 404 with problem JSON (RFC 9457), a wrong method 405 with Allow`()
        throws
    {
        let missing = try talk().answer("GET /nothing")
        #expect(missing.hasPrefix("HTTP/1.1 404 "))
        #expect(missing.contains("Content-Type: application/problem+json\r\n"))
        #expect(missing.contains("\"status\":404"))
        let method = try talk().answer("DELETE /api/echo/x")
        #expect(method.hasPrefix("HTTP/1.1 405 "))
        #expect(method.contains("Allow: GET, POST, HEAD\r\n"))
    }

    @Test
    func `a request body over the limit is answered with 413, with or without Content-Length`()
        throws
    {
        var limits = WebLimits()
        limits.bodyByteCountMax = 10
        let declared = try talk(limits).answer("POST /api/echo/x", body: "12345678901")
        #expect(declared.hasPrefix("HTTP/1.1 413 "))
        let talk = try talk(limits)
        let connection = try talk.connect()
        connection.send(
            talk.request("POST /api/echo/x", "Transfer-Encoding: chunked")
                + "b\r\n12345678901\r\n0\r\n\r\n")
        #expect(connection.readToEnd().hasPrefix("HTTP/1.1 413 "))
    }

    @Test func `an upload may be larger than other request bodies, and is not kept in memory`()
        throws
    {
        var limits = WebLimits()
        limits.bodyByteCountMax = 10
        let body = String(repeating: "x", count: 100_000)
        let talk = try talk(limits)
        let answer = try talk.answer("POST /api/upload/100000", body: body)
        #expect(answer.hasSuffix("\r\n\r\n<100000>"))
        let refused = try talk.answer("POST /api/echo/x", body: body)
        #expect(refused.hasPrefix("HTTP/1.1 413 "))
    }

    @Test(arguments: [
        ("/api/upload/5", "HTTP/1.1 413 "), ("/api/upload/none", "HTTP/1.1 409 "),
    ])
    func `a client that is still sending an upload can read why it is refused`(
        path: String, status: String
    ) throws {
        let talk = try talk()
        let connection = try talk.connect()
        connection.send(talk.request("POST \(path)", "Content-Length: 40000000"))
        let piece = String(repeating: "x", count: 1 << 16)
        for _ in 0..<20 { connection.send(piece) }
        #expect(connection.readToEnd().hasPrefix(status))
    }

    @Test func `an upload without the token is refused before any of it is taken`() throws {
        let talk = try talk()
        let connection = try talk.connect()
        connection.send(
            "POST /api/upload/10 HTTP/1.1\r\nHost: \(talk.host)\r\nContent-Length: 10\r\n\r\n")
        #expect(connection.readToEnd().hasPrefix("HTTP/1.1 401 "))
    }

    @Test(arguments: ["Content-Length: 1000", "Transfer-Encoding: chunked"])
    func `a request body is rejected unread if its path takes no body or the token is missing`(
        field: String
    ) throws {
        let talk = try talk()
        for path in ["/", "/nothing"] {
            let connection = try talk.connect()
            connection.send(talk.request("POST \(path)", field))
            #expect(connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 413 "))
        }
        let stranger = try talk.connect()
        stranger.send("POST /api/echo/x HTTP/1.1\r\nHost: \(talk.host)\r\n\(field)\r\n\r\n")
        #expect(stranger.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 401 "))
    }

    @Test
    func `connections without the access token are closed to make room at the connection limit`()
        throws
    {
        var limits = WebLimits()
        limits.connectionCountMax = 2
        let talk = try talk(limits)
        let known = try talk.connect()
        known.send(talk.request("GET /api/echo/1"))
        #expect(known.read(until: "<1|>").contains(" 200 "))
        let strangers = try (0..<3).map { _ in try talk.connect() }
        #expect(strangers[0].isEnded() && strangers[1].isEnded())
        #expect(try talk.answer("GET /api/echo/2").hasSuffix("<2|>"))
        #expect(strangers[2].isEnded())
        known.send(talk.request("GET /api/echo/3"))
        #expect(known.read(until: "<3|>").contains(" 200 "))
    }

    @Test func `a connection with the access token is not closed to make room for another`() throws
    {
        var limits = WebLimits()
        limits.connectionCountMax = 1
        let talk = try talk(limits)
        let known = try talk.connect()
        known.send(talk.request("GET /api/echo/1"))
        _ = known.read(until: "<1|>")
        #expect(try talk.answer("GET /api/echo/2").isEmpty)
        known.send(talk.request("GET /api/echo/3"))
        #expect(known.read(until: "<3|>").contains(" 200 "))
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nHo"])
    func `the web server closes a connection whose first request head does not arrive in time`(
        text: String
    )
        throws
    {
        var limits = WebLimits()
        limits.headNsMax = 50_000_000
        let talk = try talk(limits)
        let connection = try talk.connect()
        connection.send(text)
        withExtendedLifetime(talk) { #expect(connection.isEnded()) }
    }

    @Test
    func `the web server's head timeout does not apply to bodies or authenticated connections`()
        throws
    {
        var limits = WebLimits()
        limits.headNsMax = 200_000_000
        let talk = try talk(limits)
        let (known, slow) = (try talk.connect(), try talk.connect())
        known.send(talk.request("GET /api/echo/1"))
        _ = known.read(until: "<1|>")
        let post = talk.request("POST /api/echo/x", "Content-Length: 2", "Connection: close")
        slow.send(post)
        // By its end, the limit for heads has passed for the others, too.
        #expect(try talk.connect().isEnded())
        slow.send("ab")
        #expect(slow.readToEnd().hasSuffix("\r\n\r\nab"))
        known.send(talk.request("GET /api/echo/2"))
        #expect(known.read(until: "<2|>").contains(" 200 "))
    }

    @Test
    func `the web server rejects a malformed or absolute-form request with 400 and disconnects`()
        throws
    {
        let talk = try talk()
        let connection = try talk.connect()
        connection.send("GET / HTTP/1.1\r\nHost: \(talk.host)\r\nContent-Length: x\r\n\r\n")
        #expect(connection.readToEnd().hasPrefix("HTTP/1.1 400 "))
        let proxy = try talk.connect()
        proxy.send("GET http://\(talk.host)/ HTTP/1.1\r\nHost: \(talk.host)\r\n\r\n")
        #expect(proxy.readToEnd().hasPrefix("HTTP/1.1 400 "))
    }

    @Test
    func `the web server streams a response in chunks, or in HTTP/1.0 until the connection ends`()
        throws
    {
        let talk = try talk()
        let answer = try talk.answer("GET /api/pieces")
        #expect(answer.hasSuffix("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
        let old = try talk.connect()
        let request = talk.request("GET /api/pieces", "Connection: keep-alive")
        old.send(request.replacingFirst("HTTP/1.1", "HTTP/1.0"))
        let answer10 = old.readToEnd()
        #expect(answer10.hasSuffix("\r\n\r\nonetwo"))
        #expect(!answer10.contains("Transfer-Encoding"))
    }

    @Test func `if the producer of a chunked response fails, the web server omits the final chunk`()
        throws
    {
        let answer = try talk().answer("GET /api/broken")
        #expect(!answer.hasSuffix("0\r\n\r\n"))
    }

    @Test func `when a client disconnects, the web server cancels the handler of its request`()
        throws
    {
        let (started, cancelled) = (Semaphore(), Semaphore())
        let talk = try WebTalk { router in
            router.add(.get, "/api/wait") { request in
                request.cancellation.onCancel { cancelled.signal() }
                started.signal()
                cancelled.wait()
                cancelled.signal()
                return WebResponse()
            }
        }
        var connection: WebTalkConnection? = try talk.connect()
        connection?.send(talk.request("GET /api/wait"))
        started.wait()
        connection = nil
        #expect(cancelled.wait(forNs: 10_000_000_000))
    }

    @Test func `the web server aborts a response after a timeout if the client stops reading`()
        throws
    {
        var limits = WebLimits()
        limits.stallNsMax = 200_000_000
        let dropped = Semaphore()
        let talk = try WebTalk(limits: limits) { router in
            router.add(.get, "/api/endless") { _ in
                WebResponse(
                    body: .pieces { writer in
                        defer { dropped.signal() }
                        let piece = [UInt8](repeating: 0x78, count: 1 << 20)
                        while true { try writer.write(piece) }
                    })
            }
        }
        let connection = try talk.connect()
        connection.send(talk.request("GET /api/endless"))
        #expect(dropped.wait(forNs: 30_000_000_000))
    }

    @Test
    func `the web server answers 429 when all worker threads are busy and the queue is full`()
        throws
    {
        var limits = WebLimits()
        limits.workerCount = 1
        limits.waitingRequestCountMax = 1
        let (started, release) = (Semaphore(), Semaphore())
        let talk = try WebTalk(limits: limits) { router in
            router.add(.get, "/api/wait") { _ in
                started.signal()
                release.wait()
                return WebResponse()
            }
        }
        let first = try talk.connect()
        first.send(talk.request("GET /api/wait"))
        started.wait()
        // One of these waits for the thread, whichever arrives first; the other is refused.
        let others = try (0..<2).map { _ in try talk.connect() }
        for connection in others { connection.send(talk.request("GET /api/wait")) }
        let refused = WebTalkConnection.first(toAnswer: others)?.read(until: "\r\n\r\n")
        #expect(refused?.hasPrefix("HTTP/1.1 429 ") == true)
        for _ in 0..<3 { release.signal() }
    }

    @Test func `an event stream begins with the latest event and receives each new one`() throws {
        let feed = EventFeed()
        feed.publish("change", "old")
        feed.publish("change", "latest")
        let talk = try WebTalk { router in
            router.add(.get, "/api/events") { _ in .events(feed) }
        }
        let connection = try talk.connect()
        connection.send(talk.request("GET /api/events"))
        let first = connection.read(until: "data: latest\n\n")
        #expect(first.contains("Content-Type: text/event-stream\r\n"))
        #expect(!first.contains("data: old"))
        feed.publish("change", "two\nlines")
        #expect(connection.read(until: "lines\n\n").contains("data: two\ndata: lines\n\n"))
    }

    @Test func `an event stream is not chunked in HTTP/1.0, and HEAD gets only its response head`()
        throws
    {
        let feed = EventFeed()
        feed.publish("change", "x")
        let talk = try WebTalk { router in
            router.add(.get, "/api/events") { _ in .events(feed) }
        }
        let old = try talk.connect()
        old.send(talk.request("GET /api/events").replacingFirst("HTTP/1.1", "HTTP/1.0"))
        let stream = old.read(until: "data: x\n\n")
        #expect(stream.hasSuffix("\r\n\r\nevent: change\ndata: x\n\n"))
        let head = try talk.answer("HEAD /api/events")
        #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"))
    }

    @Test
    func `a request for an event stream beyond the limit on open streams is answered with 429`()
        throws
    {
        var limits = WebLimits()
        limits.feedCountMax = 1
        let feed = EventFeed()
        feed.publish("change", "x")
        let talk = try WebTalk(limits: limits) { router in
            router.add(.get, "/api/events") { _ in .events(feed) }
        }
        let first = try talk.connect()
        first.send(talk.request("GET /api/events"))
        _ = first.read(until: "data: x")
        #expect(try talk.answer("GET /api/events").hasPrefix("HTTP/1.1 429 "))
    }
}

extension String {
    /// The text with the first occurrence of another one replaced.
    func replacingFirst(_ text: String, _ other: String) -> String {
        guard let found = range(of: text) else { return self }
        return replacingCharacters(in: found, with: other)
    }
}

/// Counts the bytes of an upload.
private final class KeptUpload: WebUpload {
    let byteCountMax: Int64
    private let count = Mutex(0)

    init(upTo byteCountMax: Int64) { self.byteCountMax = byteCountMax }

    var byteCount: Int { count.withLock { $0 } }

    func append(_ bytes: Span<UInt8>) throws {
        let added = bytes.count
        count.withLock { $0 += added }
    }
}
