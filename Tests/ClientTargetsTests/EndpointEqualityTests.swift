import ClientLib
import Foundation
import ProxydClientTargets
import ProxydClientTestSupport
import Testing

/// Requests compared, as tests do that stub a server.
struct EndpointEqualityTests {
    private func target(_ task: RequestTask, method: HTTPMethod = .post) -> SampleTarget {
        SampleTarget(task, method: method, path: "users")
    }

    @Test func `a TargetType's endpoint equals a request with the same method, fields and body`()
        throws
    {
        let made = try target(.requestJSONEncodable(["name": "Ada"])).endpoint()
        let expected = HTTPRequest(
            method: .post, url: made.url, fields: ["content-type": "application/json"],
            body: .text(#"{"name":"Ada"}"#))
        #expect(made == expected)
        #expect(Set([made, expected]).count == 1)
        var other = expected
        other.method = .put
        #expect(made != other)
        other = expected
        other.body = .text(#"{"name":"Eve"}"#)
        #expect(made != other)
        other = expected
        other.fields.add(name: "X-More", value: "1")
        #expect(made != other)
    }

    @Test func `requests are equal if each field name has the same values in the same order`()
        throws
    {
        let url: RawURL = "https://api.test/"
        let one = HTTPRequest(url: url, fields: ["A": "1", "B": "2", "A": "3"])
        #expect(one == HTTPRequest(url: url, fields: ["b": "2", "a": "1", "a": "3"]))
        #expect(one != HTTPRequest(url: url, fields: ["A": "3", "B": "2", "A": "1"]))
    }

    @Test func `two multipart forms with the same parts are equal, whatever their boundary`() throws
    {
        func form(_ value: String) -> RequestTask {
            var form = MultipartFormData()
            form.append(value, name: "n")
            return .uploadMultipart(form)
        }
        let (one, same) = (try target(form("1")).endpoint(), try target(form("1")).endpoint())
        #expect(one == same)
        #expect(Set([one, same]).count == 1)
        #expect(try one != target(form("2")).endpoint())
    }

    @Test func `a body stream is equal only to itself`() throws {
        let url: RawURL = "https://api.test/"
        func stream() -> BodyStream { BodyStream(byteCount: 0) { OnePiece([]) } }
        let one = stream()
        #expect(
            HTTPRequest(url: url, body: .stream(one)) == HTTPRequest(url: url, body: .stream(one)))
        #expect(
            HTTPRequest(url: url, body: .stream(one))
                != HTTPRequest(url: url, body: .stream(stream())))
        #expect(HTTPBody.file(path: "/a") != .file(path: "/b"))
        #expect(HTTPBody.none != .bytes([]))
    }
}
