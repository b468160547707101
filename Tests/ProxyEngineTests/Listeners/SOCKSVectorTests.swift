import ProxydHTTPModel
import ProxydTestSupport
import Testing

@testable import ProxydProxyEngine

/// The conversations with SOCKS clients that lie beside the repository.
struct SOCKSVectorTests {
    private struct Vectors: Decodable {
        let socks: [Vector]
    }

    private struct Vector: Decodable, Sendable {
        let id: String
        let auth: String?
        let connect: String
        let client: [String]
        let server: [String]
        let target: String?
        let end: String?
    }

    @Test(.enabled(if: RuleVectorFile.isThere, "the shared vectors are not there"))
    func `each shared test vector of a SOCKS conversation gets its expected replies and target`()
        throws
    {
        let vectors = try #require(try RuleVectorFile.read(Vectors.self)).socks
        #expect(vectors.count >= 16)
        for vector in vectors { try check(vector) }
    }

    private func check(_ vector: Vector) throws {
        let authenticator = ScriptedAuthenticator(.accepted)
        let pieces = vector.client.map(SOCKSVectorTests.bytes)
        // The verdict comes with the loop's next turn.
        let (first, rest) =
            vector.auth == nil ? (pieces, []) : (pieces.dropLast(), pieces.suffix(1))
        let outcome = try Playbook.play(
            at: Playbook.socks, authenticator: vector.auth == nil ? nil : authenticator
        ) { book in
            for piece in first { book.clientSends(piece) }
        } then: { book, _ in
            for piece in rest { book.clientSends(piece) }
            switch vector.connect {
            case "refused": book.connectFails(.connectionRefused, "")
            case "not found": book.connectFails(.nameResolution, "")
            case "timed out": book.connectFails(.timedOut, "")
            default: if book.connector.isWaitedFor { book.connects() }
            }
            return book.socksOutcome
        }
        if vector.server == ["HTTP400"] {
            #expect(WireOutcome.text(outcome.client).hasPrefix("HTTP/1.1 400 "), "\(vector.id)")
        } else {
            let expected = vector.server.flatMap(SOCKSVectorTests.bytes)
            #expect(outcome.client == expected, "\(vector.id)")
        }
        #expect(outcome.targets == [vector.target].compactMap(\.self), "\(vector.id)")
        #expect((outcome.clientEnding == .closed) == (vector.end == "close"), "\(vector.id)")
        let asked = authenticator.asked.map { String(decoding: $0.password, as: UTF8.self) }
        if vector.target != nil, let password = vector.auth?.split(separator: ":").last {
            #expect(asked == [String(password)], "\(vector.id)")
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] { RuleVectorFile.bytes(hex: hex) }
}
