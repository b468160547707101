import ProxydHTTPModel
import ProxydTLS
import ProxydTransport
import Testing

@testable import ProxydProxyEngine

/// Which kept-alive connection carries which request.
struct ConnectionReuseTests {
    private static func request(_ method: String, _ path: String, host: String = "h") -> String {
        "\(method) http://\(host)\(path) HTTP/1.1\r\nHost: \(host)\r\n"
            + (method == "GET" ? "\r\n" : "Content-Length: 2\r\n\r\nhi")
    }

    /// Sends a request from a client, and has whichever server got it answer.
    private static func exchange(
        _ book: Playbook, _ method: String, _ path: String, from client: ScriptedStream,
        host: String = "h"
    ) {
        client.receive(
            WireOutcome.bytes(request(method, path, host: host)), pieceByteCount: .max)
        if book.connector.isWaitedFor { book.connects() }
        guard let place = Self.place(of: path, in: book) else { return }
        book.serverSends(Playbook.noContent, from: place)
    }

    /// Which server was asked for a path.
    private static func place(of path: String, in book: Playbook) -> Int? {
        book.servers.firstIndex {
            WireOutcome.text($0.written).contains(" \(path) HTTP/1.1\r\n")
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `POST, PUT, PATCH and DELETE never use a connection that served another client`(
        method: String
    ) throws {
        let places = try Playbook.play { book in
            Self.exchange(book, "GET", "/1", from: book.client)
            book.clientEnds()
            let other = book.accept("other")
            Self.exchange(book, method, "/2", from: other)
            Self.exchange(book, method, "/3", from: other)
            return (1...3).map { Self.place(of: "/\($0)", in: book) }
        }
        #expect(places == [0, 1, 1])
    }

    @Test func `a GET may use a connection that served another client`() throws {
        let places = try Playbook.play { book in
            Self.exchange(book, "GET", "/1", from: book.client)
            book.clientEnds()
            Self.exchange(book, "GET", "/2", from: book.accept("other"))
            return (1...2).map { Self.place(of: "/\($0)", in: book) }
        }
        #expect(places == [0, 0])
    }

    @Test func `each of 100 clients keeps the server connection that served it before`() throws {
        let (count, moved) = try Playbook.play { book in
            let clients = (0..<100).map { book.accept("client \($0)") }
            for round in 0..<3 {
                for (number, client) in clients.enumerated() {
                    Self.exchange(book, "POST", "/\(number)/\(round)", from: client)
                }
            }
            let moved = clients.indices.filter { number in
                let first = Self.place(of: "/\(number)/0", in: book)
                return (1..<3).contains { Self.place(of: "/\(number)/\($0)", in: book) != first }
            }
            return (book.servers.count, moved)
        }
        #expect(count == 100)
        #expect(moved.isEmpty)
    }

    @Test
    func `a GET takes another client's idle connection only if all idle ones belong to clients`()
        throws
    {
        let places = try Playbook.play { book in
            Self.exchange(book, "GET", "/1", from: book.client)
            // No one's, once its client is gone.
            let gone = book.accept("gone")
            Self.exchange(book, "POST", "/2", from: gone)
            gone.receiveEnd(isClean: true)
            let other = book.accept("other")
            Self.exchange(book, "GET", "/3", from: other)
            let third = book.accept("third")
            Self.exchange(book, "GET", "/4", from: third)
            // It has lost its own to the third, and its request cannot go over just any.
            Self.exchange(book, "POST", "/5", from: other)
            return (1...5).map { Self.place(of: "/\($0)", in: book) }
        }
        #expect(places[0...2] == [0, 1, 1])
        #expect(places[3] != nil && places[3] != 2)
        #expect(places[4] != places[3])
    }

    @Test func `a client that alternates between two servers keeps one connection to each of them`()
        throws
    {
        let count = try Playbook.play { book in
            for round in 0..<3 {
                Self.exchange(book, "POST", "/a\(round)", from: book.client, host: "a")
                Self.exchange(book, "POST", "/b\(round)", from: book.client, host: "b")
            }
            return book.servers.count
        }
        #expect(count == 2)
    }

    @Test(arguments: ["POST", "PUT"])
    func `a POST or PUT is not retried if its reused server connection closes without a response`(
        method: String
    ) throws {
        let outcome = try Playbook.play { book in
            Self.exchange(book, "GET", "/1", from: book.client)
            book.requests(Self.request(method, "/2"))
            book.serverBreaks()
            return book.outcome
        }
        #expect(outcome.servers.count == 1)
        #expect(outcome.responseCount == 1 && outcome.clientEnding == .closed)
        let row = outcome.rows.last
        #expect(row?.state == .failed)
        #expect(row?.status == nil)
        #expect(row?.failure?.kind == .closedEarly)
        #expect(row?.failure?.message.hasPrefix("no answer was sent, as ") == true)
    }

    @Test func `if a new server connection closes without a response, the client gets a 502`()
        throws
    {
        let outcome = try Playbook.play { book in
            book.requests(Self.request("POST", "/1"))
            book.connects()
            book.serverEnds()
            return book.outcome
        }
        #expect(outcome.status == 502)
    }

    @Test func `if a reused connection closes within a status line, the client gets a 502`() throws
    {
        let outcome = try Playbook.play { book in
            Self.exchange(book, "GET", "/1", from: book.client)
            book.requests(Self.request("POST", "/2"))
            book.answers("HTTP/1.1 2")
            book.serverEnds()
            return book.outcome
        }
        #expect(outcome.client.contains("HTTP/1.1 502 "))
    }

    @Test(arguments: [true, false])
    func `an idle connection is not reused if the server has sent bytes or closed it`(
        hasSpoken: Bool
    ) throws {
        let outcome = try Playbook.play { book in
            Self.exchange(book, "GET", "/1", from: book.client)
            // It is in the kernel, and the loop has not come round to it.
            if hasSpoken {
                book.servers.last?.arrived = WireOutcome.bytes(
                    "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            } else {
                book.servers.last?.hasEndedUnnoticed = true
            }
            Self.exchange(book, "POST", "/2", from: book.client)
            return book.outcome
        }
        #expect(outcome.servers.count == 2)
        #expect(outcome.serverEndings.first == .aborted)
        #expect(outcome.client == Playbook.noContent + Playbook.noContent)
    }

    @Test(arguments: ["H", "h.", "H."])
    func `hosts that differ only in case or a final dot share a server connection`(host: String)
        throws
    {
        let outcome = try Playbook.play { book in
            Self.exchange(book, "GET", "/1", from: book.client)
            Self.exchange(book, "GET", "/2", from: book.client, host: host)
            return book.outcome
        }
        #expect(outcome.servers.count == 1)
        #expect(outcome.server.hasSuffix("\r\nHost: \(host)\r\n\r\n"))
    }

    @Test
    func `inside a CONNECT tunnel, a Host with a final dot still matches the tunnel's server`()
        throws
    {
        let outcome = try Playbook.play { book in
            book.requests("CONNECT h:80 HTTP/1.1\r\nHost: h:80\r\n\r\n")
            book.connects()
            book.requests("GET http://h./ HTTP/1.1\r\nHost: h.\r\n\r\n")
            return book.outcome
        }
        #expect(outcome.servers == ["GET / HTTP/1.1\r\nHost: h.\r\n\r\n"])
    }

    @Test(arguments: [true, false])
    func `after the TLS configuration changes, the next request opens a new server connection`(
        isConnected: Bool
    ) throws {
        let context = try TLSClientContext(store: nil)
        let (first, isAnew) = try Playbook.play { book in
            book.clientSends(Self.request("GET", "/1"))
            if isConnected { book.connects() }
            book.proxy.transport.reconfigure(HTTPTransport.Options(), clientContext: context)
            if !isConnected { book.connects() }
            book.serverSends(Playbook.noContent)
            let first = book.sink.rows.first?.state
            book.clientSends(Self.request("GET", "/2"))
            return (first, book.connector.isWaitedFor)
        }
        #expect(first == .complete)
        #expect(isAnew)
    }
}
