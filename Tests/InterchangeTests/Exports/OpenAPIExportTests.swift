import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// Descriptions of interfaces, found from exchanges.
struct OpenAPIExportTests {
    private typealias Object = [String: Any]

    private struct Call {
        var method = "GET"
        var path = "/"
        var host = "https://api.test"
        var request = ""
        var headers: [(String, String)] = []
        var status = 200
        var response = #"{"id":1}"#
        var type = "application/json"
    }

    private func har(_ calls: [Call]) -> [UInt8] {
        let entries = calls.map { call -> Object in
            var request: Object = [
                "method": call.method, "url": call.host + call.path,
                "headers": call.headers.map { ["name": $0.0, "value": $0.1] },
            ]
            if !call.request.isEmpty {
                request["postData"] = ["mimeType": call.type, "text": call.request]
            }
            return [
                "startedDateTime": "2024-01-01T00:00:00Z", "request": request,
                "response": [
                    "status": call.status, "statusText": "Said",
                    "headers": [["name": "Content-Type", "value": call.type]],
                    "content": ["text": call.response],
                ] as Object,
            ]
        }
        let data = try? JSONSerialization.data(withJSONObject: ["log": ["entries": entries]])
        return Array(data ?? Data())
    }

    private func text(_ calls: [Call], existing: String? = nil) throws -> String {
        let store = try InterchangeStore(importing: har(calls))
        let description = try existing.map {
            try #require(OpenAPIWriter.description(Array($0.utf8)))
        }
        return String(
            decoding: try store.export(OpenAPIWriter(existing: description)), as: UTF8.self)
    }

    private func document(_ calls: [Call], existing: String? = nil) throws -> Object {
        let value = try JSONSerialization.jsonObject(
            with: Data(try text(calls, existing: existing).utf8))
        return try #require(value as? Object)
    }

    private func paths(_ document: Object) -> Object { document["paths"] as? Object ?? [:] }

    private func schema(_ document: Object, _ path: String, _ method: String = "get") -> Object {
        let operation = (paths(document)[path] as? Object)?[method] as? Object
        let response = (operation?["responses"] as? Object)?["200"] as? Object
        let content = (response?["content"] as? Object)?["application/json"] as? Object
        return content?["schema"] as? Object ?? [:]
    }

    @Test func `path segments that look like values become parameters in an OpenAPI export`() throws
    {
        let document = try document([
            Call(path: "/users/17/orders"), Call(path: "/users/18/orders"),
            Call(path: "/items/0b3c1f6e-6a6f-4f9b-9a8e-0d8c1a2b3c4d"),
            Call(path: "/files/9f86d081884c7d65"), Call(path: "/v1/status"),
        ])
        #expect(
            paths(document).keys.sorted() == [
                "/files/{fileId}", "/items/{itemId}", "/users/{userId}/orders", "/v1/status",
            ])
        let operation = (paths(document)["/users/{userId}/orders"] as? Object)?["get"] as? Object
        let parameter = (operation?["parameters"] as? [Object])?.first
        #expect(parameter?["name"] as? String == "userId")
        #expect(parameter?["required"] as? Bool == true)
        #expect((parameter?["schema"] as? Object)?["type"] as? String == "integer")
        #expect(operation?["operationId"] as? String == "getUsersUserIdOrders")
    }

    @Test
    func `sibling paths whose responses have the same shape become one OpenAPI path parameter`()
        throws
    {
        let same = try document(
            ["alice", "bob", "carol"].map {
                Call(path: "/people/\($0)", response: #"{"name":"x","age":1}"#)
            } + [Call(path: "/people/all/count", response: #"{"count":3}"#)])
        #expect(paths(same).keys.sorted() == ["/people/all/count", "/people/{peopleId}"])
        let other = try document([
            Call(path: "/api/users", response: #"{"users":[]}"#),
            Call(path: "/api/orders", response: #"{"orders":[]}"#),
            Call(path: "/api/health", response: #"{"ok":true}"#),
        ])
        #expect(paths(other).count == 3)
    }

    @Test func `an OpenAPI export merges the schemas of all responses of an operation`() throws {
        let document = try document([
            Call(
                path: "/a",
                response: #"{"id":1,"name":"x","tags":["a"],"at":"2024-01-01T00:00:00Z"}"#),
            Call(
                path: "/a",
                response: #"{"id":1.5,"name":null,"tags":[],"at":"2024-02-01T00:00:00Z"}"#),
            Call(path: "/a", response: #"{"id":2,"name":"y","more":{"17":true,"18":false}}"#),
        ])
        let schema = schema(document, "/a")
        #expect(schema["type"] as? String == "object")
        #expect(schema["required"] as? [String] == ["id", "name"])
        let properties = try #require(schema["properties"] as? [String: Object])
        #expect(properties["id"]?["type"] as? String == "number")
        #expect(properties["name"]?["type"] as? [String] == ["string", "null"])
        #expect((properties["tags"]?["items"] as? Object)?["type"] as? String == "string")
        #expect(properties["at"]?["format"] as? String == "date-time")
        let table = properties["more"]?["additionalProperties"] as? Object
        #expect(table?["type"] as? String == "boolean")
    }

    @Test
    func `an OpenAPI export has the captured requests' parameters, bodies and security schemes`()
        throws
    {
        let document = try document([
            Call(
                method: "POST", path: "/login?next=%2Fhome&page=2", request: "user=a&pin=1234",
                headers: [
                    ("Authorization", "Bearer s3cr3t"), ("X-Api-Key", "k3y"), ("X-Trace", "t"),
                    ("Cookie", "sid=c00kie"),
                ], response: "", type: "application/x-www-form-urlencoded"),
            Call(method: "OPTIONS", path: "*"), Call(method: "BREW", path: "/pot"),
        ])
        #expect(paths(document).keys.sorted() == ["/login"])
        let operation = try #require((paths(document)["/login"] as? Object)?["post"] as? Object)
        let parameters = operation["parameters"] as? [Object] ?? []
        #expect(parameters.map { $0["name"] as? String } == ["next", "page", "x-trace"])
        #expect((parameters[1]["schema"] as? Object)?["type"] as? String == "integer")
        let body = operation["requestBody"] as? Object
        #expect(body?["required"] as? Bool == true)
        let security = operation["security"] as? [[String: [String]]]
        #expect(security?.first?.keys.sorted() == ["bearerAuth", "x-api-key"])
        let components = document["components"] as? Object
        #expect((components?["securitySchemes"] as? Object)?.keys.count == 2)
    }

    @Test func `an OpenAPI export contains no captured values`() throws {
        let secrets = ["s3cr3t", "k3y", "c00kie", "hunter2", "4111111111111111", "jane@a.test"]
        let text = try text([
            Call(
                method: "POST", path: "/reset/jane@a.test?token=s3cr3t",
                request: #"{"password":"hunter2","card":"4111111111111111"}"#,
                headers: [("X-Api-Key", "k3y"), ("Cookie", "sid=c00kie")],
                response: #"{"session":"s3cr3t"}"#)
        ])
        for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
        #expect(text.contains("password"))
    }

    @Test func `captured values used as JSON or form names do not appear in an OpenAPI export`()
        throws
    {
        let random = [
            "QWxhZGRpbjpvcGVuIHNlc2FtZQ", "justasecretkey", "Zx9Kq2Lm", "xkqjzvbnmwrtplkdsf",
            "a8f3kd92", "AKIAIOSFODNN7EXAMPLE", "hunter2key", "correcthorsebatterystaple",
        ]
        let text = try text([
            Call(
                method: "POST", path: "/a?justasecretkey&page=1&Zx9Kq2Lm=1", request: "hunter2key",
                response: #"{"tokens":{"QWxhZGRpbjpvcGVuIHNlc2FtZQ":1}}"#,
                type: "application/x-www-form-urlencoded"),
            Call(
                path: "/a", headers: [("X-a8f3kd92", "1")],
                response: #"{"tokens":{"QWxhZGRpbjpvcGVuIHNlc2FtZQ":1},"user=a;password=b":1}"#),
            Call(path: "/keys/Zx9Kq2Lm"), Call(path: "/keys/xkqjzvbnmwrtplkdsf"),
            Call(path: "/keys/a8f3kd92"), Call(path: "/keys/AKIAIOSFODNN7EXAMPLE"),
            Call(path: "/keys/correcthorsebatterystaple"),
        ])
        for value in random + ["password"] { #expect(!text.contains(value), "\(value)") }
        #expect(text.contains("/keys/{keyId}"))
        #expect(text.contains("additionalProperties"))
        #expect(text.contains(#""page""#))
    }

    @Test(arguments: [
        "addressLine1", "address_line_1", "customer-billing-address", "customerBillingAddress",
        "getHTTPResponseById", "x-amz-content-sha256", "OAuth2", "iOSVersion", "filter[user_name]",
        "transactionHistoryEntries", "i18n", "v1", "First Name", "ADDRESS_LINE_1", "isActive",
        "@type", "prénom", "$ref", "numberOfUnreadMessages", "SHA256", "utf8", "created_at",
        "xmlHttpRequestTimeout", "startedDateTime", "additional-information",
    ])
    func `ordinary property names are kept in an OpenAPI export`(name: String) throws {
        let text = try text([Call(path: "/a", response: #"{"\#(name)":1}"#)])
        #expect(text.contains(#""\#(name)""#))
    }

    @Test
    func `an OpenAPI path that was not seen on every exported server lists its own servers`()
        throws
    {
        let document = try document([
            Call(path: "/a"), Call(path: "/b"), Call(path: "/a", host: "http://other.test:8080"),
        ])
        let servers = document["servers"] as? [[String: String]]
        #expect(servers?.map { $0["url"] } == ["https://api.test", "http://other.test:8080"])
        let only = (paths(document)["/b"] as? Object)?["servers"] as? [[String: String]]
        #expect(only?.map { $0["url"] } == ["https://api.test"])
        #expect((paths(document)["/a"] as? Object)?["servers"] == nil)
    }

    private static let written = """
        {"openapi":"3.1.0","info":{"title":"Mine","version":"7"},"x-own":[1],
        "paths":{"/users/{name}":{"summary":"S","parameters":[{"name":"name","in":"path",
        "required":true,"schema":{"type":"string","pattern":"^a"}}],"get":{"summary":"By hand",
        "responses":{"200":{"description":"Mine","content":{"application/json":{"schema":{
        "type":"object","required":["id"],"properties":{"id":{"type":"string","title":"T"}}}}}}}}},
        "/old":{"get":{"responses":{"default":{"description":"D"}}}}}}
        """

    @Test
    func `merging into an OpenAPI document adds what is missing and keeps hand-written parts`()
        throws
    {
        let calls = [
            Call(path: "/users/17?full=true", response: #"{"id":1,"more":2}"#),
            Call(method: "DELETE", path: "/users/alice", response: ""), Call(path: "/new"),
        ]
        let document = try document(calls, existing: OpenAPIExportTests.written)
        #expect((document["info"] as? Object)?["title"] as? String == "Mine")
        #expect(document["x-own"] as? [Int] == [1])
        #expect(paths(document).keys.sorted() == ["/new", "/old", "/users/{name}"])
        let item = try #require(paths(document)["/users/{name}"] as? Object)
        let operation = try #require(item["get"] as? Object)
        #expect(operation["summary"] as? String == "By hand")
        #expect((operation["parameters"] as? [Object])?.map { $0["name"] as? String } == ["full"])
        #expect(item["delete"] != nil)
        let schema = schema(document, "/users/{name}")
        #expect(schema["required"] as? [String] == ["id"])
        let properties = try #require(schema["properties"] as? [String: Object])
        #expect(properties["id"]?["type"] as? String == "string")
        #expect(properties["id"]?["title"] as? String == "T")
        #expect(properties["more"]?["type"] as? String == "integer")
        // Merging once more changes nothing.
        let once = try text(calls, existing: OpenAPIExportTests.written)
        #expect(try text(calls, existing: once) == once)
    }

    @Test
    func `merging keeps OpenAPI security schemes and rejects OpenAPI versions other than 3.1`()
        throws
    {
        let existing = """
            {"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{},"components":{
            "securitySchemes":{"basicAuth":{"type":"apiKey","in":"header","name":"q"}}}}
            """
        var call = Call(path: "/me")
        call.headers = [("Authorization", "Basic YTpi")]
        let document = try document([call], existing: existing)
        let components = try #require(document["components"] as? Object)
        let schemes = try #require(components["securitySchemes"] as? [String: [String: String]])
        #expect(schemes["basicAuth"] == ["type": "apiKey", "in": "header", "name": "q"])
        for version in ["3.0.3", "2.0", "3.10.0"] {
            let other = "{\"openapi\":\"\(version)\",\"paths\":{}}"
            #expect(OpenAPIWriter.description(Array(other.utf8)) == nil)
        }
    }

    @Test
    func `an operation that merging adds to an OpenAPI path declares the path's parameters`()
        throws
    {
        let existing = """
            {"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/users/{name}":{}}}
            """
        let document = try document([Call(path: "/users/alice")], existing: existing)
        let item = paths(document)["/users/{name}"] as? Object
        let parameters = (item?["get"] as? Object)?["parameters"] as? [Object]
        #expect(parameters?.map { $0["name"] as? String } == ["name"])
        #expect(OpenAPIWriter.description(Array("openapi: 3.1.0".utf8)) == nil)
        #expect(OpenAPIWriter.description(Array("{}".utf8)) == nil)
    }
}
