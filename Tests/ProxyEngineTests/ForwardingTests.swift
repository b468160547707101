import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// Requests go on and responses come back, whatever the cuts of the network.
struct ForwardingTests {
    @Test(arguments: [1, 2, 7, .max])
    func `a request is forwarded in origin form, and its response is returned and recorded`(
        piece: Int
    ) throws {
        let (did, rows) = try Playbook.play(pieceByteCount: piece) { book in
            var did: [[String]] = []
            book.clientSends("GET http://h/p?q=1 HTTP/1.1\r\nHost: h\r\nX-A: b\r\n\r\n")
            did.append(book.did())
            book.connects()
            did.append(book.did())
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
            did.append(book.did())
            return (did, book.sink.rows)
        }
        #expect(
            did == [
                ["connect h:80"],
                ["server < GET /p?q=1 HTTP/1.1⏎Host: h⏎X-A: b⏎⏎"],
                ["client < HTTP/1.1 200 OK⏎Content-Length: 2⏎⏎hi"],
            ])
        #expect(rows.map(\.state) == [.complete])
        #expect(rows.first?.url == "http://h/p?q=1")
        #expect(rows.first?.responseBody == Array("hi".utf8))
    }

    @Test(arguments: [1, .max])
    func `pipelined requests are answered in order over one server connection`(
        piece: Int
    ) throws {
        let did = try Playbook.play(pieceByteCount: piece) { book in
            book.clientSends(
                "GET http://h/1 HTTP/1.1\r\nHost: h\r\n\r\n"
                    + "GET http://h/2 HTTP/1.1\r\nHost: h\r\n\r\n"
            )
            book.connects()
            let first = book.did().filter { $0.hasPrefix("server") }
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
            let second = book.did().filter { $0.contains("<") }
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2")
            return [first, second, book.did()]
        }
        #expect(
            did == [
                ["server < GET /1 HTTP/1.1⏎Host: h⏎⏎"],
                [
                    "client < HTTP/1.1 200 OK⏎Content-Length: 1⏎⏎1",
                    "server < GET /2 HTTP/1.1⏎Host: h⏎⏎",
                ],
                ["client < HTTP/1.1 200 OK⏎Content-Length: 1⏎⏎2"],
            ])
    }

    private static let twoRequests =
        "GET http://h/1 HTTP/1.1\r\nHost: h\r\n\r\nGET http://h/2 HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test
    func `if a client that pipelined requests disconnects, the proxy notices before any response`()
        throws
    {
        let (did, rows) = try Playbook.play { book in
            book.clientSends(Self.twoRequests)
            book.connects()
            _ = book.did()
            book.clientEnds()
            book.passes(seconds: 1)
            return (book.did(), book.sink.rows)
        }
        #expect(did.contains("server aborted"))
        #expect(rows.map(\.state) == [.failed])
    }

    @Test func `a client that pipelined requests and half-closed gets every response`() throws {
        let did = try Playbook.play { book in
            book.clientSends(Self.twoRequests)
            book.connects()
            _ = book.did()
            book.clientEnds()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2")
            return book.did().filter { $0.hasPrefix("client") }
        }
        #expect(
            did == [
                "client < HTTP/1.1 200 OK⏎Content-Length: 1⏎⏎1",
                "client < HTTP/1.1 200 OK⏎Content-Length: 1⏎⏎2", "client closed",
            ])
    }

    @Test func `the chunks of an upload are forwarded before the upload is complete`() throws {
        let did = try Playbook.play { book in
            book.clientSends(
                "POST http://h/ HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
            book.connects()
            _ = book.did()
            book.clientSends("5\r\nhello\r\n")
            let early = book.did()
            book.clientSends("0\r\nX-T: 1\r\n\r\n")
            return [early, book.did()]
        }
        #expect(did == [["server < 5⏎hello⏎"], ["server < 0⏎X-T: 1⏎⏎"]])
    }

    @Test
    func `a request body that arrives before the server connection is made is sent after the head`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends("POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nab")
            book.connects()
            book.clientSends("cd")
            return book.did()
        }
        #expect(
            did == [
                "connect h:80", "client paused",
                "server < POST / HTTP/1.1⏎Host: h⏎Content-Length: 4⏎⏎ab", "client resumed",
                "server < cd",
            ])
    }

    @Test
    func `a response delimited by connection close also closes the client connection`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            _ = book.did()
            book.serverSends("HTTP/1.0 200 OK\r\n\r\nabc")
            book.serverEnds()
            return book.did()
        }
        #expect(did.contains("client < HTTP/1.1 200 OK⏎Connection: close⏎⏎abc"))
        #expect(did.contains("client closed"))
    }

    @Test
    func `the client is disconnected if the server closes before the Content-Length is reached`()
        throws
    {
        let (did, rows) = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            _ = book.did()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            book.serverEnds()
            return (book.did(), book.sink.rows)
        }
        #expect(
            did == [
                "client < HTTP/1.1 200 OK⏎Content-Length: 10⏎⏎abc", "server aborted",
                "client closed",
            ])
        #expect(rows.map(\.state) == [.failed])
        #expect(rows.first?.failure?.kind == .closedEarly)
        #expect(rows.first?.failure?.origin == .upstream)
        #expect(rows.first?.responseBody == Array("abc".utf8))
    }

    @Test
    func `if the server resets a close-delimited response, the client connection is reset, too`()
        throws
    {
        let did = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\n\r\nabc")
            book.serverBreaks()
            return book.did()
        }
        #expect(did.last == "client aborted")
    }

    @Test
    func `a refused server connection gives a 502 with the reason; the client stays connected`()
        throws
    {
        let (did, rows) = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connectFails(.connectionRefused, "h:80 refused the connection")
            return (book.did(), book.sink.rows)
        }
        #expect(did.count == 2)
        #expect(did.last?.hasPrefix("client < HTTP/1.1 502 Bad Gateway⏎") == true)
        #expect(did.last?.contains("proxyd: h:80 refused the connection⏎Nothing accepts") == true)
        #expect(rows.first?.status == 502)
        #expect(rows.first?.failure?.kind == .connectionRefused)
    }

    @Test func `a stale kept-alive connection is replaced for a GET but not for a POST`() throws {
        let (get, post) = try Playbook.play { book in
            book.clientSends("GET http://h/1 HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            book.clientSends("GET http://h/2 HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = book.did()
            book.serverEnds()
            let get = book.did()
            book.connects()
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            book.clientSends("POST http://h/3 HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
            _ = book.did()
            book.serverEnds()
            return (get, book.did())
        }
        #expect(get == ["server aborted", "connect h:80"])
        #expect(post == ["server2 aborted", "client closed"])
    }

    @Test func `interim responses are forwarded to HTTP/1.1 clients but not to HTTP/1.0 clients`()
        throws
    {
        func play(_ version: String) throws -> ([String], [Int]) {
            try Playbook.play { book in
                book.clientSends("GET http://h/ HTTP/\(version)\r\nHost: h\r\n\r\n")
                book.connects()
                _ = book.did()
                book.serverSends("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
                let did = book.did()
                book.serverSends("HTTP/1.1 204 No Content\r\n\r\n")
                return (did, book.sink.rows.first?.informational ?? [])
            }
        }
        let new = try play("1.1")
        #expect(new.0 == ["client < HTTP/1.1 103 Early Hints⏎Link: </a>⏎⏎"])
        #expect(new.1 == [103])
        let old = try play("1.0")
        #expect(old.0.isEmpty)
        #expect(old.1 == [103])
    }

    @Test func `a server is paused until the output to a slow client has drained`() throws {
        let did = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            _ = book.did()
            book.client.queuedByteCount = 1 << 20
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            let paused = book.did()
            book.client.drain()
            return paused + book.did()
        }
        #expect(did.filter { !$0.hasPrefix("client <") } == ["server paused", "server resumed"])
    }

    @Test func `client and server are both paused while the recorder is behind`() throws {
        let did = try Playbook.play { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n")
            book.connects()
            _ = book.did()
            book.sink.setCongested(true)
            book.serverSends("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            return book.did()
        }
        #expect(did.contains("server paused"))
        #expect(did.contains("client paused"))
    }
}
