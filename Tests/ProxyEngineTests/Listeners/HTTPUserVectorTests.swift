import ProxydTestSupport
import Testing

@testable import ProxydProxyEngine

/// Credentials for the proxy that lie beside the repository.
struct HTTPUserVectorTests {
    private struct Vectors: Decodable {
        let vectors: [Vector]
        enum CodingKeys: String, CodingKey { case vectors = "proxy_authentication" }
    }

    private struct Vector: Decodable, Sendable {
        let id: String
        let value: String?
        let answer: Int?
        let user: String?
        enum CodingKeys: String, CodingKey {
            case id, answer, user
            case value = "proxy_authorization"
        }
    }

    @Test(.enabled(if: RuleVectorFile.isThere, "the shared vectors are not there"))
    func `each shared test vector for proxy authentication gets its expected response`() throws {
        let vectors = try #require(try RuleVectorFile.read(Vectors.self)).vectors
        #expect(vectors.count >= 6)
        for vector in vectors { try check(vector) }
    }

    private func check(_ vector: Vector) throws {
        let field = vector.value.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
        let (client, rows) = try Playbook.play(
            at: ServedListener(name: OneUser.listener, mode: .proxy), authenticator: OneUser()
        ) { book in
            book.clientSends("GET http://h/ HTTP/1.1\r\nHost: h\r\n\(field)\r\n")
            if book.connector.isWaitedFor { book.connects() }
            return (WireOutcome.text(book.client.written), book.sink.rows)
        }
        #expect(client.isEmpty == (vector.answer == nil), "\(vector.id)")
        if let answer = vector.answer {
            #expect(client.hasPrefix("HTTP/1.1 \(answer) "), "\(vector.id)")
            #expect(
                client.contains("Proxy-Authenticate: Basic realm=\"proxyd\", charset=\"UTF-8\""))
            #expect(rows.map(\.user) == [nil], "\(vector.id)")
        }
    }
}
