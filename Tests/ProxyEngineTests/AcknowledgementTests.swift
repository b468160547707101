import Testing

@testable import ProxydProxyEngine

/// A peer that writes a message in two pieces, with Nagle's algorithm, sends the second one only
/// after the first has been acknowledged, which the kernel delays by 40 ms.
struct AcknowledgementTests {
    private static let get = "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"

    /// How often the server's connection was asked for an acknowledgement.
    private func count(_ pieces: [String]) throws -> Int {
        try Playbook.play { book in
            book.clientSends(Self.get)
            let server = book.connects()
            for piece in pieces { server.receive(WireOutcome.bytes(piece), pieceByteCount: .max) }
            return server.acknowledgementCount
        }
    }

    @Test func `a response whose body arrives after its head is acknowledged after the head`()
        throws
    {
        #expect(try count(["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "ok"]) == 1)
        #expect(try count(["HTTP/1.1 200 OK\r\n", "Content-Length: 2\r\n\r\n", "o", "k"]) == 3)
    }

    @Test func `a response that arrives in one piece is not acknowledged early`() throws {
        #expect(try count(["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"]) == 0)
        #expect(try count(["HTTP/1.1 204 No Content\r\n\r\n"]) == 0)
    }

    @Test func `only the first 64 KiB of a response are acknowledged early`() throws {
        let piece = String(repeating: "x", count: 16 << 10)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(20 * (16 << 10))\r\n\r\n"
        #expect(try count([head] + Array(repeating: piece, count: 19)) == 4)
    }

    @Test func `a request whose body arrives after its head is acknowledged after the head`() throws
    {
        let head = "POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n"
        let counts = try Playbook.play { book in
            [head, "h", "i", Self.get, Self.get].map { piece in
                book.client.receive(WireOutcome.bytes(piece), pieceByteCount: .max)
                return book.client.acknowledgementCount
            }
        }
        #expect(counts == [1, 2, 2, 2, 2])
    }
}
