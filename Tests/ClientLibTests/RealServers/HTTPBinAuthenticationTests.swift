import ClientLib
import Testing

/// Challenges of httpbin.
@Suite(.enabled("httpbin could be had") { await HTTPBinServer.isThere() })
struct HTTPBinAuthenticationTests {
    private let session = Session()

    private func url(_ path: String) async throws -> String {
        try await HTTPBinServer.shared().url + path
    }

    private func statuses(
        _ path: String, _ credential: Credential
    ) async throws -> [Int?] {
        let response = await session.request(try await url(path)).authenticate(with: credential)
            .serializingResponse().response
        return response.exchanges.map { $0.response?.head.status }
    }

    @Test func `httpbin accepts Basic credentials after its challenge`() async throws {
        let credential = Credential(user: "ada", password: "s3cret:\u{E9}")
        #expect(
            try await statuses("/basic-auth/ada/s3cret:%C3%A9", credential) == [401, 200])
    }

    @Test func `a wrong Basic password is tried only once`() async throws {
        let credential = Credential(user: "ada", password: "wrong")
        #expect(try await statuses("/basic-auth/ada/right", credential) == [401, 401])
    }

    @Test(arguments: ["MD5", "SHA-256"], ["auth", "auth-int"])
    func `httpbin accepts Digest credentials for each algorithm and qop`(
        algorithm: String, quality: String
    ) async throws {
        let credential = Credential(user: "ada", password: "secret")
        #expect(
            try await statuses("/digest-auth/\(quality)/ada/secret/\(algorithm)", credential)
                == [401, 200])
    }

    @Test func `Digest with a wrong password ends with the server's 401`() async throws {
        let credential = Credential(user: "ada", password: "wrong")
        #expect(try await statuses("/digest-auth/auth/ada/right/MD5", credential) == [401, 401])
    }

    @Test func `httpbin accepts a Bearer token after its challenge`() async throws {
        #expect(try await statuses("/bearer", .bearer(token: "t0ken")) == [401, 200])
    }

    @Test func `an accepted credential is sent preemptively with the next request`() async throws {
        let credential = Credential(user: "ada", password: "again")
        let path = "/basic-auth/ada/again"
        #expect(try await statuses(path, credential) == [401, 200])
        #expect(try await statuses(path, credential) == [200])
    }
}
