import Foundation
import ProxydFilterTestSupport
import Testing

@testable import ProxydFilter

@Suite struct FilterParsingTests {
    /// The error a text gives; fails where it gives none.
    private func error(_ text: String) -> FilterError? {
        do {
            _ = try Filter.parse(text, now: 0)
            Issue.record("no error: \(text)")
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        ("host:", 6), ("host: a", 6), ("(a", 1), ("a)", 2), ("a or", 5), ("or a", 1), ("not", 4),
        ("()", 2), ("\"a", 1), ("host:\"a", 6), ("a and or b", 7), ("hots:a", 1), ("~zz x", 1),
        ("~u", 3), ("a ~c x", 6), ("param=1", 1), ("param.=1", 1), ("host.a=1", 5),
        ("pinned=maybe", 8), ("pinned>1", 8), ("pinned~yes", 8), ("status:\"x\" status>x", 19),
        ("host<3", 6), ("size:10k", 6), ("duration=fast", 10),
        ("time>yesterday", 6), ("time=-15m", 6), ("status >= 400", 8), (">3", 1), ("path~(", 6),
        ("path~a[", 7), ("path~\\1", 7), ("url~(?=a)", 7), ("\"a\"b", 4), ("host:\"a\"b", 9),
        ("a &", 4), ("& a", 1), ("a && b", 4), ("é hots:a", 3), ("h2:a", 1), ("h2.resets:a", 4),
        ("grpc:a", 1), ("grpc.state=5", 6),
        ("ws.foo:a", 4), ("graphql:a", 1), ("sse.:a", 1), ("msg.foo:a", 5), ("ws.count=x", 10),
        ("ws.close=x", 10), ("grpc.status=NOT_FOUN", 13), ("grpc.status>x", 13), ("ws>3", 4),
    ])
    func `a syntax error in a filter is reported at its column`(text: String, column: Int) {
        #expect(error(text)?.column == column, "\(text): \(error(text)?.description ?? "")")
    }

    @Test(arguments: [
        ("hots:a", "host"), ("stat=1", "state or status"), ("reqheaders.A:x", "reqheader"),
        ("localhost:8080", "\"localhost:8080\""), ("example.com:80", "\"example.com:80\""),
        ("~bb x", "~b"), ("status >= 400", "status>…"), ("size:1k", "10k"),
        ("status != 400", "status!=…"),
        ("duration>x", "250ms"), ("time>x", "2026-11-20T10:00"), ("host>a", ": = or ~"),
        ("pinned=x", "yes or no"), ("grpc:a", "grpc.status or grpc.service"),
        ("grpc.status=NOT_FOUN", "NOT_FOUND?"), ("ws.foo:a", "ws.out or ws.in"),
        ("ws.close=x", "1006"), ("graphq.operation=a", "graphql?"),
        ("path~(a", "never closed"), ("path~(?<=a)b", "look-behind"), ("host=", "\"\""),
        ("store>a", ": = or ~"), ("id=x", "STORE:NUMBER"),
    ])
    func `the message for a syntax error in a filter suggests a correction`(
        text: String, hint: String
    ) {
        #expect(error(text)?.message.contains(hint) ?? false, "\(error(text)?.message ?? "")")
    }

    @Test func `the description of a filter error starts with its column`() {
        #expect(
            error("hots:a")?.description
                == "column 1: unknown field \"hots\": did you mean host?")
    }

    @Test(arguments: [
        ("a b", "b"), ("a and b", "b"), ("a AND b", "b"), ("a & b", "b"), ("a b or c", "bc"),
        ("a (b or c)", "b"), ("a (b | c)", "b"), ("c or a b", "bc"), ("not a", "c"),
        ("!a", "c"), ("not a or b", "bc"), ("! ! a", "b"), ("not (a b)", "c"), ("(a)(b)", "b"),
        ("path:b", "b"), ("path!:b", "c"), ("path!=/a/b", "c"), ("", "bc"), ("   ", "bc"),
        ("~u b", "b"), ("~u b|c$", "bc"), ("~u ^b", ""), ("~m GET ~u /b", "b"), ("!~u b", "c"),
        ("(~u b | ~u x)", "b"), ("~all", "bc"),
    ])
    func `'and', 'or', 'not' and parentheses in a filter have the usual precedence`(
        text: String, passing: String
    ) throws {
        let filter = try Filter.parse(text)
        let rows = ["/a/b", "/c"].map { path in
            FilterRow.with {
                $0.texts[.host] = "h"
                $0.texts[.path] = path
            }
        }
        let found = rows.filter { filter.matches($0) }.compactMap { $0.texts[.path]?.last }
        #expect(String(found) == passing, "\(text)")
    }

    @Test(arguments: [
        ("\"a b\"", "/a b"), ("'a b'", "/a b"), ("\"say \\\"a\\\"\"", "/say \"a\""),
        ("\"a\\\\\"", "/a\\"), ("path:\"(x)\"", "/(x)"), ("path:f(x)", "/f(x)"),
        ("(path:f(x))", "/f(x)"), ("path~^/(a|b)$", "/b"), ("(path~^/(a|b)$)", "/a"),
        ("\"or\"", "/or"), ("http://example.com/a?b=(c)", "/a?b=(c)"), ("/a=b", "/a=b"),
        ("path:\"\\d\"", "/\\d"), ("path~\"^/\\d+$\"", "/123"), ("example.com/a:b", "/a:b"),
        ("127.0.0.1:80", "/127.0.0.1:80"), ("path=\"\"", ""), ("path:\"\"", "/x"),
    ])
    func `values in a filter can contain quotes and parentheses`(text: String, path: String) throws
    {
        let row = FilterRow.with { $0.texts[.path] = path }
        #expect(try Filter.parse(text).matches(row), "\(text)")
    }

    @Test func `a filter that is too long, too deep or has too many parts is rejected`() throws {
        let long = String(repeating: "x", count: FilterGrammar.filterByteCountMax)
        #expect(try Filter.parse(long).matches(FilterRow()) == false)
        #expect(error(long + "x")?.message.contains("8192") ?? false)
        #expect(error(String(repeating: "(", count: 400))?.column == 51)
        #expect(error(String(repeating: "!", count: 400))?.column == 51)
        #expect(error(String(repeating: "a ", count: 600))?.column == 1_001)
        #expect(error("a\0b")?.column == 2)
    }
}

struct FilterPartsTests {
    @Test(arguments: [
        ("status<500", ["status<500"]),
        ("status<500  host=a and  path:x", ["status<500", "host=a", "path:x"]),
        ("a & b", ["a", "b"]),
        ("not (a b) c !d", ["not (a b)", "c", "!d"]),
        ("not not a b", ["not not a", "b"]),
        ("(a or b) (c d)", ["(a or b)", "(c d)"]),
        ("a b or c", ["a b or c"]),
        (#"path:"a b" note:"é \" )" z"#, [#"path:"a b""#, #"note:"é \" )""#, "z"]),
        ("~m POST ~c 200", ["~m POST", "~c 200"]),
        ("((a)) b", ["((a))", "b"]),
        ("", []),
    ])
    func `a filter is split into the parts that are joined by 'and' at its top level`(
        text: String, parts: [String]
    ) throws {
        #expect(Filter.parts(of: text) == parts)
        for part in parts { _ = try Filter.parse(part, now: 0) }
    }

    @Test func `the text of a joined or negated filter can be parsed again`() throws {
        let filters = try ["status=200", "path:a or path:b", ""].map { try Filter.parse($0) }
        let all = Filter.all(filters)
        let again = try Filter.parse(all.text)
        #expect(again.text == "(status=200) (path:a or path:b)")
        #expect(Filter.all([.everything]).matchesEverything)
        #expect(try !Filter.parse(Filter.everything.negated.text).matches(FilterRow()))
        #expect(try Filter.parse(all.negated.text).terms.map(\.name) == ["status", "path", "path"])
    }
}

struct FilterJoiningTests {
    @Test(arguments: [
        ("a or b", true), ("a | b c", true), ("(a or b)", true), ("a b", false), ("", false),
        ("not (a or b)", false), ("a (b or c)", false), ("\"or\"", false),
    ])
    func `only a filter with 'or' at its top level needs parentheses when joined by 'and'`(
        _ text: String, _ isAlternative: Bool
    ) throws {
        #expect(try Filter.parse(text).isAlternative == isAlternative)
    }
}
