import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import ProxydTestSupport
import Testing

/// Collections for Postman and scripts for k6.
struct CollectionExportTests {
    private typealias Object = [String: Any]

    private static let har = #"""
        {"log":{"entries":[
        {"startedDateTime":"2024-01-01T00:00:00Z","request":{"method":"POST",
        "url":"https://a.test:8443/p/q?x=1&y&z=%20",
        "headers":[{"name":"Host","value":"a.test:8443"},
        {"name":"Content-Type","value":"application/json"},{"name":"Content-Length","value":"9"},
        {"name":"X-Two","value":"1"},{"name":"X-Two","value":"2"}],
        "postData":{"mimeType":"application/json","text":"{\"a\":\"\u2028\"}"}},
        "response":{"status":201}},
        {"startedDateTime":"2024-01-01T00:00:02.5Z","request":{"method":"POST",
        "url":"http://a.test/f",
        "headers":[{"name":"Content-Type","value":"application/x-www-form-urlencoded"}],
        "postData":{"mimeType":"application/x-www-form-urlencoded","text":"user=al+ice&t=%2B"}},
        "response":{"status":200}},
        {"startedDateTime":"2024-01-01T00:00:02.6Z","request":{"method":"POST",
        "url":"http://a.test/m",
        "headers":[{"name":"Content-Type","value":"multipart/form-data; boundary=b"}],
        "postData":{"mimeType":"multipart/form-data; boundary=b","params":[
        {"name":"text","value":"v"},{"name":"file","fileName":"f.bin","value":"x"}]}},
        "response":{"status":200}},
        {"startedDateTime":"2024-01-01T00:00:03Z","request":{"method":"PUT","url":"http://[::1]/b",
        "headers":[{"name":"Content-Type","value":"application/octet-stream"}],
        "postData":{"mimeType":"application/octet-stream","encoding":"base64","text":"AP+A"}},
        "response":{"status":200}},
        {"startedDateTime":"2024-01-01T00:00:04Z","request":{"method":"CONNECT",
        "url":"tunnel://a.test:443"},"response":{"status":200}}]}}
        """#

    private func export(
        _ writer: some ExchangeWriting, _ har: String = CollectionExportTests.har
    ) throws -> String {
        let store = try InterchangeStore(importing: Array(har.utf8))
        return String(decoding: try store.export(writer), as: UTF8.self)
    }

    @Test func `multipart fields in any charset are decoded in Postman and OpenAPI exports`() throws
    {
        let store = try InterchangeStore { recorder in
            let head = Array("--B\r\nContent-Disposition: form-data; name=\"".utf8)
            let name = [0xC8, 0xEC, 0xFF] as [UInt8]
            let part = Array("\"\r\nContent-Type: text/plain; charset=KOI8-R\r\n\r\n".utf8)
            let update = Samples.complete(
                recorder.nextExchangeID(), method: "POST",
                fields: [("Content-Type", "multipart/form-data; boundary=B; charset=windows-1251")],
                requestBody: head + name + part + [0xE9] + Array("\r\n--B--\r\n".utf8))
            recorder.record(update)
            try recorder.flush()
        }
        let postman = String(decoding: try store.export(PostmanWriter()), as: UTF8.self)
        #expect(postman.contains(#""key":"Имя""#))
        #expect(postman.contains(#""value":"И""#))
        let description = String(decoding: try store.export(OpenAPIWriter()), as: UTF8.self)
        #expect(description.contains("Имя"))
    }

    @Test
    func `a Postman export has one request per exchange, with the body mode that fits its body`()
        throws
    {
        let value = try JSONSerialization.jsonObject(
            with: Data(try export(PostmanWriter()).utf8))
        let document = try #require(value as? Object)
        let info = document["info"] as? [String: String]
        #expect(info?["schema"]?.contains("v2.1.0") == true)
        let items = try #require(document["item"] as? [Object])
        #expect(items.count == 4)
        let requests = items.compactMap { $0["request"] as? Object }
        let bodies = requests.map { $0["body"] as? Object }
        #expect(
            bodies.map { $0?["mode"] as? String } == ["raw", "urlencoded", "formdata", "file"])
        #expect(bodies[0]?["raw"] as? String == "{\"a\":\"\u{2028}\"}")
        let pairs = bodies[1]?["urlencoded"] as? [[String: String]]
        #expect(pairs?.map { $0["value"] } == ["al ice", "+"])
        let parts = bodies[2]?["formdata"] as? [[String: String]]
        #expect(parts?.map { $0["type"] } == ["text", "file"])
        #expect(parts?.map { $0["key"] } == ["text", "file"])
        #expect((requests[3]["description"] as? String)?.contains("not text") == true)
        let headers = requests[0]["header"] as? [[String: String]]
        #expect(headers?.map { $0["key"] } == ["Content-Type", "X-Two", "X-Two"])
        let url = try #require(requests[0]["url"] as? Object)
        #expect(url["raw"] as? String == "https://a.test:8443/p/q?x=1&y&z=%20")
        #expect(url["host"] as? [String] == ["a", "test"])
        #expect(url["port"] as? String == "8443")
        #expect(url["path"] as? [String] == ["p", "q"])
        #expect((url["query"] as? [Object])?.count == 3)
    }

    @Test func `a k6 script repeats the captured requests with the pauses between them`() throws {
        let script = try export(K6Writer())
        #expect(
            script.hasPrefix("import { check, sleep } from 'k6';\nimport http from 'k6/http';\n"))
        #expect(script.count(of: "http.request(") == 4)
        #expect(script.contains("sleep(2.5);"))
        #expect(!script.contains("sleep(0.0)"))
        #expect(script.contains(#""X-Two": "1, 2","#))
        #expect(script.contains(#""{\"a\":\"\u2028\"}","#))
        #expect(script.contains("new Uint8Array([0,255,128]).buffer"))
        #expect(script.contains("r.status === 201"))
        #expect(script.contains("// no request: a tunnel"))
        for field in ["\"Host\"", "\"Content-Length\""] { #expect(!script.contains(field)) }
        var writer = K6Writer()
        _ = writer.beginning()
        #expect(writer.withoutCommandCount == 0)
    }

    private func har(_ path: String, type: String, body: String, field: String = "") -> String {
        """
        {"log":{"entries":[{"startedDateTime":"2024-01-01T00:00:00Z","request":{"method":"POST",
        "url":"http://a.test\(path)","headers":[{"name":"Content-Type","value":"\(type)"}\(field)],
        "postData":{"mimeType":"\(type)","text":"\(body)"}},"response":{"status":200}}]}}
        """
    }

    private func request(_ har: String) throws -> Object {
        let text = try export(PostmanWriter(), har)
        #expect(!text.contains("{{secret"))
        let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? Object
        let item = try #require((document?["item"] as? [Object])?.first)
        return try #require(item["request"] as? Object)
    }

    @Test func `captured text such as {{name}} never becomes a variable in a Postman collection`()
        throws
    {
        let json = try request(
            har(
                "/:id/{{secret}}?k={{secret}}", type: "application/json",
                body: #"{\"a\":\"{{secret}}\",\"b\":{\"c\":{}}}"#,
                field: #",{"name":"X-A","value":"{{secret}}"}"#))
        let url = try #require(json["url"] as? Object)
        #expect(url["raw"] as? String == "http://a.test/%3Aid/%7B%7Bsecret}}?k=%7B%7Bsecret}}")
        #expect(url["path"] as? [String] == ["%3Aid", "%7B%7Bsecret}}"])
        #expect((json["header"] as? [Object])?.count == 1)
        #expect(json["description"] as? String == "1 headers with {{ are left out")
        let raw = (json["body"] as? Object)?["raw"] as? String
        #expect(raw == #"{"a":"{\u007bsecret}}","b":{"c":{}}}"#)
        let form = try request(
            har(
                "/", type: "application/x-www-form-urlencoded",
                body: "a=%7B%7Bsecret}}&b={{secret}}"))
        #expect((form["body"] as? Object)?["raw"] as? String == "a=%7B%7Bsecret}}&b=%7B%7Bsecret}}")
        let plain = try request(har("/", type: "text/plain", body: "x {{secret}}"))
        #expect(plain["body"] == nil)
        #expect((plain["description"] as? String)?.contains("left out") == true)
        let parts = try request(
            har(
                "/", type: "multipart/form-data; boundary=b",
                body: [
                    "--b", #"Content-Disposition: form-data; name=\"a\""#, "", "{{secret}}", "--b",
                    #"Content-Disposition: form-data; name=\"c\""#, "", "d", "--b--", "",
                ].joined(separator: #"\r\n"#)))
        let fields = (parts["body"] as? Object)?["formdata"] as? [Object]
        #expect(fields?.map { $0["key"] as? String } == ["c"])
    }

    @Test func `a header named __proto__ does not become an object's prototype in a k6 script`()
        throws
    {
        let script = try export(
            K6Writer(),
            har("/", type: "text/plain", body: "x", field: #",{"name":"__proto__","value":"v"}"#))
        #expect(script.contains(#"["__proto__"]: "v","#))
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}
