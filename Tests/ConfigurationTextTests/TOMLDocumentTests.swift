import ProxydConfigurationText
import Testing

struct TOMLDocumentTests {
    @Test func `TOML values of every type are read`() throws {
        let document = try TOMLDocument(
            """
            text = "a\\tb\\u00e9\\"" # a comment
            literal = 'C:\\x'
            numbers = [1, +2, -3, 1_000, 0xFF, 0o17, 0b101, -9223372036854775808]
            parts = [1.5, -1e3, 6.022_140e23, inf, -inf, 7e-2]
            flags = [true, false]
            moments = [1979-05-27, 07:32:00, 1979-05-27T07:32:00Z, 1979-05-27 07:32:00.5]
            mixed = ["a", 1, [], {}]
            """)
        #expect(document.text("text") == "a\tbé\"")
        #expect(document.text("literal") == "C:\\x")
        #expect(
            try [Int](toml: document.node("numbers")) == [1, 2, -3, 1_000, 255, 15, 5, .min])
        #expect(
            try [Double](toml: document.node("parts"))
                == [1.5, -1_000, 6.022_140e23, .infinity, -.infinity, 0.07])
        #expect(try [Bool](toml: document.node("flags")) == [true, false])
        let moments = ["a date", "a time", "a date-time", "a date-time"]
        #expect(try document.kinds("moments") == moments)
        #expect(try document.kinds("mixed") == ["a string", "an integer", "an array", "a table"])
    }

    @Test func `multi-line TOML strings are read with escapes, joined lines and quotes`() throws {
        let document = try TOMLDocument(
            #"""
            basic = """
            one \
               two\n
            \"\" three """""
            literal = '''
            one \
            ''two'''''
            empty = """"""
            """#)
        #expect(document.text("basic") == "one two\n\n\"\" three \"\"")
        #expect(document.text("literal") == "one \\\n''two''")
        #expect(document.text("empty") == "")
    }

    @Test func `an escaped NUL does not end a TOML string or key`() throws {
        let document = try TOMLDocument("\"a\\u0000b\" = \"c\\u0000d\"\n")
        #expect(document.root.members.map(\.name) == ["a\0b"])
        #expect(document.text("a\0b") == "c\0d")
    }

    @Test func `the keys of a parsed TOML table keep the order that they have in the file`() throws
    {
        let document = try TOMLDocument("z = 1\na = 2\nm.b = 3\nm.a = 4\n")
        #expect(document.root.members.map(\.name) == ["z", "a", "m"])
        #expect(try document.node("m").table?.members.map(\.name) == ["b", "a"])
    }

    @Test func `members of one TOML table may come from headers, dotted keys and inline tables`()
        throws
    {
        let document = try TOMLDocument(
            """
            [group.b]
            enabled = false
            [group]
            a.enabled = true
            c = { enabled = true, "d e".f = 1 }
            """)
        let group = try #require(try document.node("group").table)
        #expect(group.members.map(\.name) == ["b", "a", "c"])
        let inline = try #require(group["c"]?.node.table)
        #expect(inline.members.map(\.name) == ["enabled", "d e"])
        let flags = try group.members.map { member in
            let node = try #require(member.node.table?["enabled"]?.node)
            return try Bool(toml: node)
        }
        #expect(flags == [false, true, true])
        let number = try #require(inline["d e"]?.node.table?["f"]?.node)
        #expect(try Int(toml: number) == 1)
    }

    @Test func `each element of a TOML array of tables keeps its own subtables and file position`()
        throws
    {
        let document = try TOMLDocument(
            """
            # rules
            [[rule]]
            name = "a"
            request = [
              { block = 403 }, # one

              { set = "header:X", value = { deep = [ { x = 1 } ] } },
            ]
            [rule.more]
            x = 1

              [[rule]]
            name = "b"
            [[rule.part]]
            [[rule.part]]
            x = 2
            """)
        let rules = try document.elements("rule")
        #expect(rules.map(\.position.line) == [2, 12])
        let first = try #require(rules.first?.table)
        #expect(first["more"]?.node.table?["x"]?.position == TextPosition(line: 10, column: 1))
        let actions = try #require(first["request"]?.node.elements)
        #expect(
            actions.map(\.position) == [
                TextPosition(line: 5, column: 3), TextPosition(line: 7, column: 3),
            ])
        let value = actions.last?.table?["value"]
        #expect(value?.position == TextPosition(line: 7, column: 23))
        let deep = value?.node.table?["deep"]?.node.elements?.first?.table?["x"]
        #expect(deep?.node.position == TextPosition(line: 7, column: 48))
        let parts = try #require(rules.last?.table?["part"]?.node.elements)
        #expect(parts.map(\.position.line) == [14, 15])
    }

    @Test func `TOML positions count columns in characters; lines may end in LF or CRLF`() throws {
        let document = try TOMLDocument("\u{FEFF}a = 1\r\n\"é\" = [\"€\", 2]\r\n\r\nb = 3")
        #expect(document.position(of: ["a"]) == TextPosition(line: 1, column: 1))
        let second = try document.elements("é")
        #expect(second.map(\.position) == [.init(line: 2, column: 8), .init(line: 2, column: 13)])
        #expect(document.position(of: ["b"]) == TextPosition(line: 4, column: 1))
    }

    @Test
    func `the position reported for a missing TOML key is that of the innermost existing table`()
        throws
    {
        let document = try TOMLDocument("x = 1\n[a]\nb.c = 1\n")
        #expect(document.position(of: ["a", "b", "c"]).line == 3)
        #expect(document.position(of: ["a", "z"]).line == 2)
        #expect(document.position(of: ["z"]) == .start)
    }
}

extension TOMLDocument {
    func node(_ name: String) throws -> TOMLNode { try #require(root[name]?.node) }
    func elements(_ name: String) throws -> [TOMLNode] { try #require(try node(name).elements) }
    func kinds(_ name: String) throws -> [String] { try elements(name).map(\.kind) }
    func text(_ name: String) -> String? { root[name]?.node.text?.text }
}
