import ClientLib
import Foundation
import ProxydClientTargets
import ProxydClientTestSupport
import Testing

/// What another target layer's own tests say, as far as it is ours too.
@Suite(.enabled(if: HeaderVectors.file != nil, "no ../shared/vectors beside the repository"))
struct TargetVectorTests {
    private func cases() throws -> [TargetVector] {
        let data = try Data(contentsOf: #require(HeaderVectors.file))
        let all = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        return try all.filter { $0["kind"] as? String == "moya" }.map { try TargetVector($0) }
    }

    @Test func `the tests support the task of every shared Moya test vector`() throws {
        let cases = try cases()
        #expect(cases.count == 20)
        for item in cases {
            let isTask = ["validation", "plugin", "url"].contains(item.task)
            #expect(isTask || item.requestTask != nil, "\(item.id)")
        }
    }

    @Test func `TargetType tasks create the requests that the shared Moya vectors expect`() throws {
        let cases = try cases().filter { $0.requestTask != nil && $0.isAdopted && !$0.fails }
        #expect(cases.count == 9)
        for item in cases {
            var target = SampleTarget(
                try #require(item.requestTask), method: item.method, path: "")
            target.baseURL = try RawURL(item.url ?? "https://api.test")
            let request = try target.endpoint()
            if let url = item.expected["url"] as? String {
                #expect(request.url.description == url, "\(item.id)")
            }
            if item.expected["body"] is NSNull {
                guard item.task == "uploadFile" || request.body.isNone else {
                    Issue.record("\(item.id) has a body")
                    continue
                }
            } else if let body = item.expected["body"] as? String {
                guard case .bytes(let bytes) = request.body else {
                    Issue.record("\(item.id) has no body")
                    continue
                }
                #expect(String(decoding: bytes, as: UTF8.self) == body, "\(item.id)")
            }
            if let type = item.expected["contentType"] {
                #expect(request.fields["Content-Type"] == type as? String, "\(item.id)")
            }
        }
    }

    @Test func `encoding failures in the shared Moya vectors are typed errors with a cause`() throws
    {
        let cases = try cases().filter { $0.requestTask != nil && $0.fails && $0.id != "moya-281" }
        #expect(cases.count == 3)
        for item in cases {
            let task = try #require(item.requestTask)
            let error = #expect(throws: ClientError.self) { try SampleTarget(task).endpoint() }
            #expect(error?.kind == .parameterEncodingFailed, "\(item.id)")
            #expect(error?.underlying != nil, "\(item.id)")
        }
    }

    @Test func `the invalid base URL in the shared Moya vectors is a typed error`() async throws {
        let item = try #require(try cases().first { $0.id == "moya-281" })
        let text = try #require(item.url)
        var target = SampleTarget(.requestPlain, path: "")
        target.baseURL = RawURL(stringLiteral: text)
        let provider = Provider<SampleTarget>(stubClosure: Provider.immediatelyStub)
        let error = await #expect(throws: ClientError.self) { try await provider.request(target) }
        #expect(error?.phase == .url)
    }

    @Test
    func `TargetType paths are joined as in the Moya vectors, but a question mark begins a query`()
        throws
    {
        let cases = try cases().filter { $0.task == "url" }
        #expect(cases.count == 2)
        for item in cases {
            var target = SampleTarget(
                .requestPlain, path: try #require(item.options["path"] as? String))
            target.baseURL = try RawURL(try #require(item.options["baseURL"] as? String))
            let url = try #require(item.expected["url"] as? String)
            let ours = item.isAdopted ? url : url.replacing("%3F", with: "?")
            #expect(try target.endpoint().url.description == ours, "\(item.id)")
        }
    }

    @Test func `AccessTokenPlugin adds the header fields that the shared Moya vectors expect`()
        async throws
    {
        let cases = try cases().filter { $0.task == "plugin" }
        #expect(cases.count == 3)
        for item in cases {
            let token = item.options["token"] as? String ?? "t"
            var target = SampleTarget()
            switch item.options["authorizationType"] as? String {
            case "basic": target.authorizationType = .basic
            case "bearer": target.authorizationType = .bearer
            default: break
            }
            let request = try await AccessTokenPlugin { _ in token }
                .prepare(target.endpoint(), target: target)
            let pairs = request.fields.pairs.map { [$0.name, $0.value] }
            #expect(pairs == item.expected["headers"] as? [[String]] ?? [], "\(item.id)")
        }
    }

    @Test func `validation types accept the statuses that the shared Moya vectors expect`() throws {
        let cases = try cases().filter { $0.task == "validation" }
        #expect(cases.count == 2)
        for item in cases {
            let type: ValidationType =
                item.options["type"] as? String == "none" ? .none : .successCodes
            let codes = type.statusCodes
            let ends = [codes.first, codes.last].compactMap { $0 }
            #expect(ends == item.expected["firstAndLast"] as? [Int], "\(item.id)")
        }
    }
}
