import Foundation
import ProxydFilter
import ProxydFilterTestSupport
import Testing

@testable import Capture

@Suite struct FilterMeaningTests {
    /// One exchange with a bit of everything; every test below runs on both engines.
    private static let row = FilterRow.with { row in
        row.id = 7
        row.texts = [
            .method: "POST", .scheme: "https", .host: "Api.Example.com", .path: "/v1/Login",
            .query: "next=%2F", .requestType: "application/json",
            .responseType: "text/html; charset=utf-8", .client: "127.0.0.1:50000",
            .server: "93.184.216.34:8443", .process: "curl", .state: "failed",
            .error: "upstream certificate: expired", .note: "Look here",
        ]
        row.numbers = [
            .port: 8443, .status: 502, .responseSize: 10_240, .requestSize: 12,
            .duration: 1_500_000_000, .started: 1_700_000_000_000_000_000, .pinned: 0,
        ]
        row.tags = ["Slow", "x y"]
        row.parameters = [
            ("user", "Alice"), ("user", "bob"), ("a.x[2].y", "3"), ("flag", nil), ("tags[]", "t"),
        ]
        row.headers = [
            .request: [("Accept", "*/*"), ("X-Id", "Q1")],
            .response: [("Server", "nginx"), ("x-id", "S2")],
        ]
        row.bodies = [
            .request: Array(#"{"user":"Alice"}"#.utf8), .response: Array("<p>\nDenied é</p>".utf8),
        ]
        row.appliedRules = ["staging", "No ads"]
        row.responseLeaves = [("a.x[2].y", "Tea"), ("a.x[2].y", "7"), ("n", nil)]
    }

    private static func passes(_ text: String) throws -> Bool {
        let filter = try Filter.parse(text, now: 1_700_000_600_000_000_000, timeZone: .utc)
        let store = try FilterStore([row])
        let byPredicate = filter.matches(row)
        #expect(try store.ids(matching: filter) == (byPredicate ? [7] : []), "\(text)")
        return byPredicate
    }

    @Test(arguments: [
        "login", "LOGIN", "https://api.example.com:8443/v1/login?next=", "method=POST",
        "method:post", "host:EXAMPLE", "host=Api.Example.com",
        "host=api.example.com", "host=API.EXAMPLE.COM.", "port=8443", "port:84",
        "path:/V1", "path=/v1/Login", "path~^/v[0-9]+/", "path~(?i)LOGIN", "query:next",
        "query=next=%2F", "url~:8443/", "scheme=https", "status=502", "status:50", "status>=500",
        "status=5xx", "status:5xx", "status<600", "size=10240", "size=10.24k", "size>10k",
        "size=10Ki", "size<2M", "reqsize<=12", "duration>1s", "duration=1.5s", "duration=1500ms",
        "duration>=1500", "duration<2m", "time>-15m", "time<-5m", "time=2023-11-14",
        "time>2023-11-14T22:00", "time=2023-11-14T22:13:20", "time=2023-11-14T23:13+01:00",
        "type:JSON", "type:html", "type=application/json", "header.accept=*/*", "header.X-ID:q",
        "header.x-id=S2", "reqheader.x-id=Q1", "resheader.Server:NGINX", "header.Server~^ng",
        "param.user=Alice", "param.user:ALI", "param.user=bob", "param.a.x[2].y=3",
        "param.flag=\"\"", "param.flag:\"\"", "param.tags[]=t", "param.\"user\"~^b", "body:alice",
        "body:denied", "reqbody:\"\\\"user\\\"\"", "resbody~D.n", "resbody~\"<p>.Denied é<\"",
        "client:127.0.0.1", "process=curl", "error:certificate", "error~^upstream",
        "state=failed", "state:FAIL", "tag=Slow", "tag:slow", "tag=\"x y\"", "note:look",
        "id=7", "id<8", "~u LOGIN", "~m post", "~c 502", "~d example", "~h \"^accept: \"",
        "~hq x-id", "~hs \"x-id: s2\"", "~b ALICE", "~bq alice", "~bs p>.denied", "~t json",
        "~ts html", "~tq json", "~s", "~e", "~marked", "~src 127", "~dst example.com:8443",
        "~comment look", "~http", "~all", "status!=404", "status!:40", "path!~^/v2", "size!=1",
        "header.x-id!:z", "param.user!=carol", "pinned=no", "pinned:FALSE", "pinned=0",
        "pinned!=yes", "rule=staging", "rule:ADS", "rule~^No", "rule:\"\"", "rule!=slow",
        "resjson.a.x[2].y=Tea", "resjson.a.x[2].y:TEA", "resjson.a.x[2].y=7", "resjson.n=\"\"",
        "resjson.\"a.x[2].y\"~^T", "resjson.z!=1",
    ])
    func `filters that should match the sample exchange match it in SQL and in memory`(text: String)
        throws
    { #expect(try Self.passes(text)) }

    @Test(arguments: [
        "logout", "method=post", "host=example.com", "host=Api", "host!=api.example.com",
        "path=/v1/login",
        "path~LOGIN", "status=404", "status:4xx", "status!=502", "size>10240", "size<10k",
        "duration>1.5s", "duration<1s", "time>-5m", "time=2023-11-15", "time<2023-11-14",
        "type=text/html", "header.accept=q", "header.Nope:\"\"", "reqheader.x-id=S2",
        "resheader.accept:\"\"", "param.user=alice", "param.USER=Alice", "param.nope:\"\"",
        "param.a=3", "body:nothing", "reqbody:denied", "resbody:alice", "state=FAILED",
        "state=active", "tag=slow", "tag:z", "note=look", "id=8", "~m ^ost", "~c 50", "~q", "~a",
        "~hq nginx", "~hs accept", "~ts json", "~replay", "~websocket", "~tcp", "not ~all",
        "header.x-id!=S2", "param.user!=bob", "status!:50", "pinned=yes", "pinned:true",
        "pinned!:no",
        "pinned", "pinned=1", "rule=Staging", "rule=ads", "rule~slow", "rule!=staging",
        "resjson.a=1", "resjson.A.x[2].y=Tea", "resjson.a.x[2].y=tea", "resjson.nope:\"\"",
        "resjson.n~.", "resjson.a.x[2].y!=7",
    ])
    func `filters that should not match the sample exchange reject it in SQL and in memory`(
        text: String
    ) throws { #expect(try !Self.passes(text)) }

    @Test func `a filter on a value that an exchange lacks does not match, and its negation does`()
        throws
    {
        let bare = FilterRow.with { row in
            row.texts = [.state: "active"]
            row.numbers = [.started: 0, .responseSize: 0, .requestSize: 0]
        }
        let store = try FilterStore([bare])
        for test in ["a", "host:\"\"", "url~.", "status<1", "note:\"\"", "error=x", "port:8"] {
            #expect(try store.ids(matching: Filter.parse(test)).isEmpty, "\(test)")
            #expect(try store.ids(matching: Filter.parse("not \(test)")) == [1], "\(test)")
        }
        for test in ["host!=a", "status!=200", "note!:x", "pinned=no", "pinned!=yes"] {
            #expect(try store.ids(matching: Filter.parse(test)) == [1], "\(test)")
        }
    }

    @Test func `a path filter compares bytes, without Unicode normalization`() throws {
        let row = FilterRow.with { $0.texts[.path] = "/caf\u{E9}" }
        let filter = try Filter.parse("path=/cafe\u{301}")
        #expect(!filter.matches(row))
        #expect(try FilterStore([row]).ids(matching: filter).isEmpty)
    }

    @Test(
        arguments: [
            (20, "https", "application/grpc", ["h2", "grpc"]), (30, "https", "", ["h3"]),
            (20, "http", "application/grpc", ["h2", "h2c", "grpc"]),
            (20, "http", "", ["h2", "h2c"]),
            (20, "https", "", ["h2"]), (11, "http", "application/grpc-web", ["h1", "grpcweb"]),
            (10, "http", "", ["h1"]),
        ] as [(Int64, String, String, [String])])
    func `the proto filter matches a protocol such as gRPC and also the HTTP version beneath it`(
        version: Int64, scheme: String, type: String, names: [String]
    ) throws {
        let row = FilterRow.with { row in
            row.version = version
            row.texts[.scheme] = scheme
            row.texts[.requestType] = type
        }
        let store = try FilterStore([row])
        let found = try ["h1", "h2", "h2c", "h3", "ws", "grpc", "grpcweb"].filter { name in
            let filter = try Filter.parse("proto:\(name)")
            let isFound = filter.matches(row)
            #expect(try store.ids(matching: filter) == (isFound ? [1] : []))
            return isFound
        }
        #expect(found == names)
    }
}
