import ClientLib
import Foundation
import ProxydClientTestSupport
import ProxydHTTPModel
import Testing

/// What other libraries' header types do, as far as it is ours too.
@Suite(.enabled(if: HeaderVectors.file != nil, "no ../shared/vectors beside the repository"))
struct HeaderVectorTests {
    private struct Case {
        let parameters: Any?
        let encoding: String
        let expected: [String: Any]
        let isAdopted: Bool
    }

    private func cases() throws -> [Case] {
        let data = try Data(contentsOf: #require(HeaderVectors.file))
        let all = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        return all.filter { $0["kind"] as? String == "header" }.map { item in
            Case(
                parameters: item["parameters"],
                encoding: (item["options"] as? [String: Any])?["encoding"] as? String ?? "",
                expected: item["expected"] as? [String: Any] ?? [:],
                isAdopted: item["adopt"] as? String == "yes")
        }
    }

    @Test func `Bearer Authorization headers have the values that the test vectors expect`() throws
    {
        let cases = try cases().filter { $0.encoding.contains("bearerToken") }
        #expect(!cases.isEmpty)
        for item in cases {
            let token = try #require(item.parameters as? String)
            #expect(AuthorizationHeader.bearer(token: token) == item.expected["value"] as? String)
        }
    }

    /// Names that differ in case only are kept apart as lines: a capture must not lose any.
    @Test func `header fields keep their order, and duplicates are not merged`() throws {
        let cases = try cases().filter { $0.encoding == "HTTPHeaders" }
        #expect(!cases.isEmpty)
        for item in cases {
            let pairs = try #require(item.parameters as? [[String]])
            let fields = HeaderFields(pairs.map { ($0[0], $0[1]) })
            #expect(fields.pairs.map(\.name) == pairs.map { $0[0] })
            if let order = item.expected["order"] as? [String] {
                #expect(item.isAdopted && fields.pairs.map(\.name) == order)
            }
            if let count = item.expected["count"] as? Int {
                #expect(!item.isAdopted && fields.count > count)
            }
        }
    }
}
