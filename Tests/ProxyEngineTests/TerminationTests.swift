import ProxydHTTPModel
import Testing

@testable import ProxydProxyEngine

/// The engine ends what still runs, whether it let it drain first or not.
struct TerminationTests {
    private static let request = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test
    func `a client awaiting a response when the proxy terminates gets a 503 and is disconnected`()
        throws
    {
        let (did, count, rows) = try Playbook.play { book in
            book.clientSends(Self.request)
            book.connects()
            _ = book.did()
            book.proxy.clients.terminateAll()
            return (book.did(), book.proxy.clients.count, book.sink.rows)
        }
        #expect(did.first == "server aborted")
        let answer = did.first { $0.hasPrefix("client < HTTP/1.1 503 ") }
        #expect(answer?.contains("Connection: close") == true)
        #expect(did.last == "client closed")
        #expect(count == 0)
        #expect(rows.map(\.state) == [.failed])
    }

    @Test func `pipelined requests are not started once the proxy terminates`() throws {
        let (did, count) = try Playbook.play { book in
            book.clientSends(Self.request + Self.request)
            book.connects()
            _ = book.did()
            book.proxy.clients.terminateAll()
            return (book.did(), book.proxy.clients.count)
        }
        #expect(!did.contains { $0.hasPrefix("connect") })
        #expect(did.last == "client closed")
        #expect(count == 0)
    }

    @Test
    func `when file descriptors run out, a client that has just connected is not closed as idle`()
        throws
    {
        let (early, late) = try Playbook.play { book in
            book.proxy.clients.closeIdle(atMost: 9, now: book.proxy.now)
            let early = book.did()
            book.proxy.clients.closeIdle(atMost: 9, now: book.proxy.now + 1_000_000_000)
            return (early, book.did())
        }
        #expect(early == [])
        #expect(late == ["client closed"])
    }

    @Test func `after the process was suspended, input from clients is read before timeouts apply`()
        throws
    {
        let (standing, heard, late) = try Playbook.play { book in
            let clients = book.proxy.clients
            book.clientSends("GET http://h/ HT")
            let woken = book.proxy.now + 60_000_000_000
            clients.look(now: woken)
            clients.look(now: woken + 250_000_000)
            let standing = book.did()
            book.clientSends("TP/1.1\r\nHost: h\r\n\r\n")
            let heard = book.did()
            for tick in 2..<8 { clients.look(now: woken + Int64(tick) * 250_000_000) }
            return (standing, heard, book.did())
        }
        #expect(standing == [])
        #expect(heard.contains { $0.hasPrefix("connect") })
        #expect(late == [])
    }

    @Test func `the limit on the number of clients applies to all event loops together`() {
        let total = ClientTotal()
        #expect(total.join(atMost: 2))
        #expect(total.join(atMost: 2))
        #expect(!total.join(atMost: 2))
        total.leave()
        #expect(total.join(atMost: 2))
    }
}
