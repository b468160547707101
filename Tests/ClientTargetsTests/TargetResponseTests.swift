import ClientLib
import ProxydClientTargets
import Testing

struct TargetResponseTests {
    private func response(_ status: Int = 200, _ body: String = "") async throws -> TargetResponse {
        try await Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
            .request(.answered(status, body))
    }

    private struct User: Decodable, Sendable, Equatable {
        var name: String?
    }

    @Test func `a TargetResponse can be filtered by its status`() async throws {
        for (status, isSuccess, isRedirect) in [
            (199, false, false), (200, true, true), (299, true, true), (300, false, true),
            (399, false, true), (400, false, false),
        ] {
            let response = try await response(status)
            #expect(((try? response.filterSuccessfulStatusCodes()) != nil) == isSuccess)
            #expect(
                ((try? response.filterSuccessfulStatusAndRedirectCodes()) != nil) == isRedirect)
            #expect((try? response.filter(statusCode: status)) != nil)
            #expect((try? response.filter(statusCodes: 0..<status)) == nil)
            #expect((try? response.filter(statusCodes: ...status)) != nil)
        }
    }

    @Test
    func `if a filter rejects the status of a TargetResponse, the error contains the response`()
        async throws
    {
        let response = try await response(404, "none")
        let error = #expect(throws: ClientError.self) {
            try response.filterSuccessfulStatusCodes()
        }
        #expect(error?.kind == .responseValidationFailed(.unacceptableStatusCode(code: 404)))
        #expect(error?.response?.statusCode == 404)
        #expect(error?.response?.data == Array("none".utf8))
    }

    @Test func `the body of a TargetResponse is mapped to JSON`() async throws {
        #expect(
            try await response(200, #"{"b":1.50,"a":null}"#).mapJSON()
                == .object([
                    JSONValue.Member(name: "b", value: .number("1.50")),
                    JSONValue.Member(name: "a", value: .null),
                ]))
        #expect(try await response(204).mapJSON(failsOnEmptyData: false) == .null)
        for body in ["", "{"] {
            let response = try await response(200, body)
            let error = #expect(throws: ClientError.self) { try response.mapJSON() }
            #expect(error?.phase == .serialize)
            #expect(error?.response?.statusCode == 200)
        }
    }

    @Test func `the body of a TargetResponse, or a string at a key path, is mapped to text`()
        async throws
    {
        #expect(try await response(200, "Grüße").mapString() == "Grüße")
        #expect(try await response(200).mapString() == "")
        let response = try await response(200, #"{"a":{"b":["x","y"]},"n":1}"#)
        #expect(try response.mapString(atKeyPath: "a.b[1]") == "y")
        for path in ["n", "a", "a.c", "a.b[2]", ""] {
            let error = #expect(throws: ClientError.self) {
                try response.mapString(atKeyPath: path)
            }
            #expect(error?.phase == .serialize)
        }
    }

    @Test func `the body of a TargetResponse, or a value at a key path, is decoded`() async throws {
        let response = try await response(200, #"{"data":{"users":[{"name":"Ada"}],"n":7}}"#)
        #expect(try response.map([User].self, atKeyPath: "data.users") == [User(name: "Ada")])
        #expect(try response.map(User.self, atKeyPath: "data.users[0]") == User(name: "Ada"))
        #expect(try response.map(Int.self, atKeyPath: "data.n") == 7)
        #expect(try await self.response(200, #"{"name":"Bo"}"#).map(User.self).name == "Bo")
        let error = #expect(throws: ClientError.self) {
            try response.map(Int.self, atKeyPath: "data.users")
        }
        #expect(error?.kind == .responseSerializationFailed(.decodingFailed))
        #expect(error?.cause is DecodingError)
        #expect(error?.response?.statusCode == 200)
    }

    @Test func `an empty TargetResponse is decoded only if failsOnEmptyData is false`() async throws
    {
        let response = try await response(200)
        #expect(try response.map(User.self, failsOnEmptyData: false) == User(name: nil))
        #expect(try response.map([User].self, failsOnEmptyData: false) == [])
        let error = #expect(throws: ClientError.self) { try response.map(User.self) }
        #expect(error?.kind == .responseSerializationFailed(.inputDataNilOrZeroLength))
    }

    @Test
    func `the description of a Provider's error contains neither response fields nor the body`()
        async throws
    {
        var target = SampleTarget()
        target.validationType = .successCodes
        target.sample = .response(
            ResponseHead(status: 500, reason: "", fields: ["Set-Cookie": "s3cret"]),
            Array("s3cret".utf8))
        let provider = Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
        let error = await #expect(throws: ClientError.self) { try await provider.request(target) }
        #expect(error.map { !"\($0)".contains("s3cret") } == true)
    }
}
