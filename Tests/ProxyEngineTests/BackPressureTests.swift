import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// Who is paused for whom, and that everybody who was paused goes on.
struct BackPressureTests {
    private static let upload =
        "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody"

    @Test
    func `a client paused because the server is slow is resumed once the server responds early`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            let server = book.connects()
            book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
            server.queuedByteCount = 1 << 20
            book.clientSends(Self.upload)
            _ = book.did()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            return book.did()
        }
        #expect(did.contains("client resumed"))
        // What the server never read of the request precedes the next one.
        #expect(did.contains("server closed"))
    }

    @Test
    func `a client paused because the recorder is full is resumed even after its exchange ends`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            book.sink.setCongested(true)
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
            _ = book.did()
            book.sink.setCongested(false)
        } then: { (book, _) in
            book.did()
        }
        #expect(did == ["client resumed"])
    }

    /// Most exchanges have a row in the store and no byte of a body that could be slowed down.
    @Test
    func `even a HEAD request is not sent until the recorder has room`()
        throws
    {
        let (waiting, after) = try Playbook.play { book in
            book.sink.setCongested(true)
            book.clientSends("HEAD http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            let waiting = book.did() + book.sink.rows.map(\.state.rawValue)
            book.sink.setCongested(false)
            return waiting
        } then: { (book, waiting) in
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
            return (waiting, book.did())
        }
        #expect(waiting == ["client paused"])
        #expect(after.first == "client resumed")
        #expect(after.last?.hasPrefix("client < HTTP/1.1 200") == true)
    }

    @Test(arguments: [
        "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1",
    ])
    func `pipelined requests are not sent until the recorder has room`(answer: String) throws {
        let (before, after) = try Playbook.play { book in
            let both = ["1", "2"].map { "GET http://h/\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }
            book.clientSends(both.joined())
            book.connects()
            _ = book.did()
            book.sink.setCongested(true)
            book.serverSends(answer)
            // A client that sends no more is not gone for that.
            book.clientEnds()
            book.passes(milliseconds: 1)
            let before = book.did()
            book.sink.setCongested(false)
            return before
        } then: { (book, before) in
            book.serverSends(answer)
            return (before, book.did())
        }
        #expect(before.contains("client paused"))
        #expect(!before.contains { $0.hasPrefix("server < GET") })
        #expect(after.contains { $0.hasPrefix("server < GET /2") })
        #expect(after.contains { $0.hasPrefix("client < HTTP/1.1 20") })
        #expect(after.last == "client closed")
    }

    @Test func `a connection whose request waits for the recorder is not closed as idle`() throws {
        let did = try Playbook.play { book in
            book.sink.setCongested(true)
            book.clientSends("HEAD http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.proxy.freeDescriptors()
            book.proxy.clients.drainAll()
            return book.did()
        }
        #expect(did == ["client paused"])
    }

    @Test
    func `an exchange whose client disconnected does not keep its server connection in memory`()
        throws
    {
        let isHeld = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            book.clientBreaks()
            weak let server = book.forgetServer()
            return server != nil
        }
        #expect(!isHeld)
    }

    @Test func `the response timeout starts when the upload ends, not when it begins`() throws {
        let (uploading, answered) = try Playbook.play { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\nhalf")
            book.connects()
            _ = book.did()
            book.passes(seconds: 3_600)
            book.clientSends("rest")
            let uploading = book.did()
            book.passes(seconds: 3_600)
            return (uploading, book.did())
        }
        #expect(uploading == ["server < rest"])
        #expect(answered.last?.hasPrefix("client < HTTP/1.1 504") == true)
    }
}
