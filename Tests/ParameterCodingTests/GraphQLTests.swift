import ProxydParameterCoding
import Testing

/// GraphQL requests, told from others that have a parameter `query`, too.
@Suite struct GraphQLTests {
    private static func found(_ operations: [GraphQLOperation]) -> [String] {
        operations.map { "\($0.kind?.rawValue ?? "?") \($0.name ?? "-")" }
    }

    private static func found(query: String = "", type: String? = nil, body: String = "")
        -> [String]
    {
        let bytes = (Array(query.utf8), Array(body.utf8))
        return found(
            GraphQLRequest.operations(
                in: ParameterExtractor.extract(
                    query: bytes.0.span, contentType: type, body: bytes.1.span)))
    }

    @Test(arguments: [
        ("query GetUser($id: ID!) { user(id: $id) { name } }", ["query GetUser"]),
        ("{ me { name } }", ["query -"]), ("{me}", ["query -"]), ("{ ...F }", ["query -"]),
        ("{ a: b }", ["query -"]), ("mutation { save }", ["mutation -"]),
        ("subscription S @live { x }", ["subscription S"]),
        ("\u{FEFF}# query No { x }\n\n,query Yes { x }", ["query Yes"]),
        (
            "fragment F on T { query }\nquery A($x: In = {q: \"}\", r: [{s: 1}]}) { a }"
                + " mutation B { b(x: {y: 1}) { c } }", ["query A", "mutation B"]
        ),
        (
            #"{ a(t: "} query X {", u: """ } \""" " """) { b } } query Y { c }"#,
            ["query -", "query Y"]
        ),
        ("query Cut($a: Int", ["query Cut"]), ("query { a { b { c", ["query -"]),
        ("", []), ("coffee", []), ("query coffee", []), ("query coffee shops", []), ("query", []),
        ("{}", []), (#"{"a": 1}"#, []), ("{ a: 1 }", []), ("{ a = 1 }", []),
        ("type A { b: C }", []),
        ("SELECT * FROM t", []), ("\"", []), ("\"\"\"", []), ("{", []), ("...", []),
    ])
    func `operations are found in GraphQL documents but not in other text`(
        text: String, wanted: [String]
    ) {
        #expect(Self.found(GraphQLDocument(text.utf8).operations) == wanted, "\(text)")
        // Read at every length, whatever comes of it.
        for count in 0..<text.utf8.count { _ = GraphQLDocument(text.utf8.prefix(count)) }
    }

    @Test
    func `GraphQL requests are recognised in JSON, batches, persisted queries, URLs and forms`() {
        let json = "application/json"
        #expect(
            Self.found(type: json, body: #"{"query": "query A { a } query B { b }"}"#) == [
                "query A"
            ])
        #expect(
            Self.found(
                type: json,
                body:
                    #"""
                    {"operationName": "B", "variables": {"query": "{ no }"},
                    "query": "query A { a } mutation B { b }"}
                    """#
            )
                == ["mutation B"])
        #expect(
            Self.found(type: json, body: #"{"operationName": null, "query": "{ a }"}"#) == [
                "query -"
            ])
        #expect(
            Self.found(type: json, body: #"[{"query": "query A {a}"}, {"query": "mutation {b}"}]"#)
                == ["query A", "mutation -"])
        let persisted = #""extensions": {"persistedQuery": {"version": 1, "sha256Hash": "ab"}}"#
        #expect(
            Self.found(type: json, body: "{\"operationName\": \"P\", \(persisted)}") == ["? P"])
        #expect(Self.found(type: json, body: "{\(persisted)}") == ["? -"])
        #expect(Self.found(query: "query=%7Ba%7D&variables=%7B%7D") == ["query -"])
        #expect(Self.found(query: "query=query+A%7Ba%7D&operationName=A") == ["query A"])
        #expect(
            Self.found(
                query: "operationName=P&extensions=%7B%22persistedQuery%22%3A"
                    + "%7B%22sha256Hash%22%3A%22ab%22%7D%7D"
            )
                == ["? P"])
        #expect(
            Self.found(
                type: "application/x-www-form-urlencoded", body: "query=mutation+M%7Ba%7D")
                == ["mutation M"])
        let document = Array("query D{a}".utf8)
        for (type, isFound) in [("application/graphql; charset=utf-8", true), (json, false)] {
            let operation = GraphQLRequest.operation(ofBody: document.span, contentType: type)
            #expect(operation?.name == (isFound ? "D" : nil))
        }
    }

    @Test(arguments: [
        #"{"query": "coffee"}"#, #"{"query": {"match": {"a": 1}}}"#, #"{"a": {"query": "{ a }"}}"#,
        #"{"query": 7}"#, #"{"query": null}"#, #"{"operationName": "A"}"#,
        #"[1, [{"query": "{a}"}]]"#,
        #"{"query": "", "operationName": "A"}"#,
    ])
    func `JSON that only resembles a GraphQL request is not recognised as one`(body: String) {
        #expect(Self.found(type: "application/json", body: body) == [], "\(body)")
    }

    private static func upload(_ operations: String, _ lines: String = "") -> String {
        [
            "--X", "Content-Disposition: form-data; name=\"operations\"" + lines, "", operations,
            "--X", "Content-Disposition: form-data; name=\"map\"", "", #"{"0":["variables.f"]}"#,
            "--X", "Content-Disposition: form-data; name=\"0\"; filename=\"a\"", "", "x", "--X--",
            "",
        ].joined(separator: "\r\n")
    }

    @Test(arguments: [
        (
            #"{"query":"mutation Up($f:Upload!){up(file:$f){id}}","operationName":"Up"}"#,
            ["mutation Up"]
        ),
        (#"[{"query":"query A { a }"},{"query":"mutation B { b }"}]"#, ["query A", "mutation B"]),
        (#"{"query":"query A { a }","variables":{"f":null"#, ["query A"]),
        (#"{"extensions":{"persistedQuery":{"sha256Hash":"00"}},"operationName":"P"}"#, ["? P"]),
        ("{}", []), ("query A { a }", []), ("", []),
    ])
    func `the operations of a GraphQL multipart upload are read from its operations field`(
        operations: String, wanted: [String]
    ) {
        #expect(
            GraphQLTests.found(
                type: "multipart/form-data; boundary=X", body: GraphQLTests.upload(operations))
                == wanted)
    }

    @Test(arguments: ["", #"\n"#, #"\\"#, #"\u000A"#])
    func `a GraphQL document over the parameter size limit is recognised by its beginning`(
        escape: String
    ) {
        for count in 65_500..<65_536 {
            let fields = String(repeating: " ", count: count) + escape
            let body = GraphQLTests.upload(#"{"query":"query A { a\#(fields) }"}"#)
            #expect(
                GraphQLTests.found(type: "multipart/form-data; boundary=X", body: body)
                    == ["query A"])
        }
    }

    @Test func `an uploaded file whose field is named operations is not read as a GraphQL request`()
    {
        let body = GraphQLTests.upload(#"{"query":"{ a }"}"#, "; filename=\"{}\"")
        #expect(
            GraphQLTests.found(type: "multipart/form-data; boundary=X", body: body).isEmpty)
    }

    @Test func `an invalid operationName is ignored, and the name in the GraphQL document is used`()
    {
        let long = String(repeating: "a", count: 300)
        for name in ["1a", "a b", "a\\nb", "\\u001b[31m", "é", long, ""] {
            let body = "{\"operationName\": \"\(name)\", \"query\": \"query Q { a }\"}"
            #expect(Self.found(type: "application/json", body: body) == ["query Q"], "\(name)")
        }
    }

    @Test func `a GraphQL document is pretty-printed, and printing it again changes nothing`() {
        let text = GraphQLPrinter.text(
            of:
                "query A($id:ID!=\"x\",$n:[Int!]){user(id:$id,w:{a:1,b:[2,3]})@include(if:$n)"
                + "{name,...F ... on T{alias:x}}}# end\nfragment F on T{a b}"
        )
        #expect(
            text == """
                query A($id: ID! = "x", $n: [Int!]) {
                  user(id: $id, w: { a: 1, b: [2, 3] }) @include(if: $n) {
                    name
                    ...F
                    ... on T {
                      alias: x
                    }
                  }
                }

                # end
                fragment F on T {
                  a
                  b
                }
                """)
        #expect(GraphQLPrinter.text(of: text) == text)
    }

    @Test
    func `the printed size and operation count of hostile GraphQL documents are bounded`() {
        for unit in ["{", "(", "\"", "\"\"\"", "#", "{a", "}", "[", "...", "\\", "query a("] {
            let text = String(repeating: unit, count: 20_000)
            _ = GraphQLDocument(text.utf8)
            #expect(GraphQLPrinter.text(of: text).utf8.count <= text.utf8.count * 80)
        }
        let many = String(repeating: "query A{a}", count: 1_000)
        #expect(GraphQLDocument(many.utf8).operations.count == 100)
    }
}
