import Foundation
import ProxydInterchange
import ProxydTestSupport
import Testing

/// Paths with parameters in them, and how they are merged into a description that people wrote.
struct PathTemplateTests {
    private typealias Object = [String: Any]

    private func document(
        _ calls: [String], existing: String? = nil, host: String = "https://api.test"
    ) throws -> [String: Any] {
        let entries = calls.map { call -> Object in
            let words = call.split(separator: " ")
            return [
                "startedDateTime": "2024-01-01T00:00:00Z",
                "request": ["method": String(words[0]), "url": host + words[1]],
                "response": [
                    "status": 200,
                    "headers": [["name": "Content-Type", "value": "application/json"]],
                    "content": ["text": words.count > 2 ? String(words[2]) : ""],
                ] as Object,
            ]
        }
        let har = try JSONSerialization.data(withJSONObject: ["log": ["entries": entries]])
        let description = try existing.map {
            try #require(OpenAPIWriter.description(Array($0.utf8)))
        }
        let bytes = try InterchangeStore(importing: Array(har)).export(
            OpenAPIWriter(existing: description))
        let value = try JSONSerialization.jsonObject(with: Data(bytes))
        return try #require(value as? Object)
    }

    private func paths(_ calls: String..., existing: String? = nil) throws -> [String] {
        let paths = try document(calls, existing: existing)["paths"] as? Object
        return (paths ?? [:]).keys.sorted()
    }

    @Test(arguments: [
        ("/users/17", "/users/{userId}"), ("/categories/17", "/categories/{categoryId}"),
        ("/boxes/17", "/boxes/{boxId}"), ("/buses/17", "/buses/{busId}"),
        ("/access/17", "/access/{accessId}"), ("/17", "/{id}"), ("/17/18", "/{id}/{id2}"),
        ("/user-groups/17", "/user-groups/{userGroupId}"), ("/users/17/", "/users/{userId}/"),
        ("/users//17", "/users//{id}"), ("/a/17/a/18", "/a/{aId}/a/{aId2}"), ("/", "/"),
        ("/a%7Bb/x", "/{id}/x"), ("/v1/x", "/v1/x"), ("/2024-01-31", "/{id}"),
    ])
    func `an OpenAPI path parameter is named after the segment before it`(
        path: String, template: String
    ) throws {
        #expect(try paths("GET \(path)") == [template])
    }

    @Test func `every OpenAPI path parameter is declared once under a unique name`() throws {
        let document = try document(["GET /a/17/a/18/a/0b3c1f6e-6a6f-4f9b-9a8e-0d8c1a2b3c4d"])
        let all = try #require(document["paths"] as? [String: Object])
        let (path, item) = try #require(all.first)
        let operation = item["get"] as? Object
        let parameters = operation?["parameters"] as? [Object] ?? []
        let names = parameters.compactMap { $0["name"] as? String }
        #expect(Set(names).count == 3)
        #expect(names.allSatisfy { path.contains("{\($0)}") })
        #expect(parameters.allSatisfy { $0["in"] as? String == "path" })
        #expect(parameters.allSatisfy { $0["required"] as? Bool == true })
        let last = parameters.last?["schema"] as? Object
        #expect(last?["format"] as? String == "uuid")
    }

    @Test func `every OpenAPI operation has a unique identifier of limited length`() throws {
        let document = try document([
            "GET /a-b", "GET /aB", "GET /a/b", "POST /a/b",
            "GET /\(String(repeating: "ab/", count: 60))",
        ])
        let operations = (document["paths"] as? [String: Object] ?? [:]).values.flatMap(\.values)
        let ids = operations.compactMap { ($0 as? Object)?["operationId"] as? String }
        #expect(ids.count == 5)
        #expect(Set(ids).count == 5)
        #expect(ids.allSatisfy { $0.utf8.count <= 110 })
    }

    @Test
    func `CONNECT requests and requests with unknown methods get no path in an OpenAPI export`()
        throws
    {
        #expect(try paths("CONNECT /x", "BREW /pot", "GET /a") == ["/a"])
    }

    private func written(_ paths: String, more: String = "") -> String {
        #"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":\#(paths)\#(more)}"#
    }

    private func merged(_ calls: [String], _ paths: String, more: String = "") throws -> Object {
        try document(calls, existing: written(paths, more: more))
    }

    @Test func `merging does not change an OpenAPI path that is only a $ref`() throws {
        let document = try merged(
            ["POST /a"], ##"{"/a":{"$ref":"#/components/pathItems/A"}}"##)
        let item = (document["paths"] as? [String: Object])?["/a"]
        #expect(item?.keys.sorted() == ["$ref"])
    }

    @Test
    func `merging adds an operation to an identical OpenAPI path, not to a matching template`()
        throws
    {
        let document = try merged(
            ["DELETE /users/me"], #"{"/users/{name}":{},"/users/me":{}}"#)
        let paths = try #require(document["paths"] as? [String: Object])
        #expect(paths["/users/me"]?["delete"] != nil)
        #expect(paths["/users/{name}"]?.isEmpty == true)
    }

    @Test
    func `merging adds no parameter to an operation if its OpenAPI path already declares it`()
        throws
    {
        let document = try merged(
            ["GET /users/17?page=2"],
            #"""
            {"/users/{name}":{"parameters":[{"name":"name","in":"path","required":true},
            {"name":"page","in":"query"}]}}
            """#)
        let item = (document["paths"] as? [String: Object])?["/users/{name}"]
        let operation = try #require(item?["get"] as? Object)
        #expect((operation["parameters"] as? [Object] ?? []).isEmpty)
    }

    @Test func `merging adds no parameters to an OpenAPI operation that has parameters with $ref`()
        throws
    {
        let document = try merged(
            ["GET /a?page=2"],
            ##"{"/a":{"get":{"parameters":[{"$ref":"#/components/parameters/Page"}]}}}"##)
        let item = (document["paths"] as? [String: Object])?["/a"]
        #expect(((item?["get"] as? Object)?["parameters"] as? [Object])?.count == 1)
    }

    @Test(arguments: ["$ref", "oneOf", "anyOf", "allOf", "not", "const"])
    func `merging does not change an OpenAPI schema with keywords beyond type and properties`(
        word: String
    ) throws {
        let schema = #"{"type":"object","\#(word)":[]}"#
        let document = try merged(
            [#"GET /a {"id":1}"#],
            #"{"/a":{"get":{"responses":{"200":{"content":{"application/json":{"#
                + #""schema":\#(schema)}}}}}}}"#)
        let item = (document["paths"] as? [String: Object])?["/a"]
        let response = ((item?["get"] as? Object)?["responses"] as? Object)?["200"] as? Object
        let content = (response?["content"] as? Object)?["application/json"] as? Object
        #expect((content?["schema"] as? Object)?.keys.sorted() == [word, "type"].sorted())
    }

    @Test func `merging keeps the servers, title and security of an OpenAPI document`() throws {
        let document = try merged(
            ["GET /a"], #"{"/a":{"get":{}}}"#,
            more: #","servers":[{"url":"https://prod.test"}],"security":[{"mine":[]}],"tags":[]"#)
        #expect((document["servers"] as? [Object])?.count == 1)
        #expect((document["info"] as? Object)?["title"] as? String == "T")
        let operation = (document["paths"] as? [String: Object])?["/a"]?["get"] as? Object
        #expect(operation?["responses"] != nil)
        #expect(operation?["security"] == nil)
    }

    @Test(arguments: [#"{"paths":5}"#, #"{"paths":[]}"#, "{}", #"{"paths":{"/a":null}}"#])
    func `merging accepts an OpenAPI document with missing or malformed paths`(
        rest: String
    ) throws {
        let text = rest.replacing("{", with: #"{"openapi":"3.1.0","#, maxReplacements: 1)
            .replacing(",}", with: "}")
        let document = try document(["GET /b"], existing: text)
        #expect(document["openapi"] as? String == "3.1.0")
    }
}
