import ProxydConfigurationText
import Testing

/// Strings, keys and numbers at the edges of TOML 1.0.
struct TOMLStringTests {
    private func value(_ text: String) throws -> TOMLNode.Content {
        try TOMLDocument("a = \(text)").node("a").content
    }

    private func text(_ written: String) throws -> String? {
        if case .string(let text) = try value(written) { text.text } else { nil }
    }

    @Test(
        arguments: [
            (#""\b\t\n\f\r\"\\""#, "\u{8}\t\n\u{C}\r\"\\"), (#""\u00E9\U0001F600""#, "é😀"),
            (#""\uFFFD""#, "\u{FFFD}"), (#""\UFFFFFFFF""#, nil), (#""\uDFFF""#, nil),
            (#""\u12""#, nil), (#""\u12G4""#, nil), (#""\U00110000""#, nil), (#""\e""#, nil),
            (#""\""#, nil), ("\"a\tb\"", "a\tb"), ("\"a\u{1}b\"", nil), ("\"a\u{7F}b\"", nil),
            ("'a\u{1}b'", nil), ("'a\\'", "a\\"), ("'it''s'", nil), ("\"\"", ""), ("''", ""),
            ("\"\"\"\"a\"\"\"", "\"a"), ("\"\"\"a\"\"\"\"\"", "a\"\""), ("'''a'''''", "a''"),
            ("\"\"\"a\"\"\"\"\"\"", nil), ("\"\"\"\r\na\r\nb\"\"\"", "a\nb"),
            ("\"\"\"\n\n\"\"\"", "\n"), ("\"\"\"a \\\n\n \t b\"\"\"", "a b"),
            ("\"\"\"a\\ b\"\"\"", nil), ("'''a \\\n b'''", "a \\\n b"), ("\"\"\"a\rb\"\"\"", nil),
            ("\"\"\"\\\"\"\"\"\"\"", "\"\"\""), ("\"\"\"\\\"\"\"\"", "\""),
        ] as [(String, String?)])
    func `basic TOML strings are unescaped, literal ones are not, and invalid ones are rejected`(
        _ written: String, _ wanted: String?
    ) throws {
        guard let wanted else {
            #expect(throws: TOMLSyntaxError.self) { _ = try text(written) }
            return
        }
        let found = try #require(try text(written))
        #expect(found.unicodeScalars.elementsEqual(wanted.unicodeScalars))
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("+0", 0), ("9_223_372_036_854_775_807", .max),
            ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("0x7fff_FFFF", 0x7FFF_FFFF),
            ("0xG", nil), ("0x", nil), ("0X1", nil), ("0b2", nil), ("0o8", nil), ("+0x1", nil),
            ("00", nil), ("-01", nil), ("_1", nil), ("1_", nil), ("0x_1", nil), ("1 2", nil),
            ("٣", nil), ("1e3", nil), ("+", nil), ("--1", nil),
        ] as [(String, Int?)])
    func `TOML integers with leading zeros or of more than 64 bits are rejected`(
        _ written: String, _ wanted: Int?
    ) throws {
        let found = try? value(written)
        if case .integer(let number)? = found {
            #expect(number == wanted)
        } else {
            #expect(wanted == nil)
        }
    }

    @Test(
        arguments: [
            ("1.0", 1), ("-0.5", -0.5), ("1e-2", 0.01), ("1E+2", 100), ("1_0.0_1", 10.01),
            ("1.7976931348623157e308", .greatestFiniteMagnitude), ("1e400", nil), (".5", nil),
            ("5.", nil), ("1.e2", nil), ("1e", nil), ("1e+", nil), ("01.5", nil), ("1.5_", nil),
            ("1e0_1", 10), ("+inf", .infinity), ("-inf", -.infinity), ("Inf", nil),
            ("infinity", nil),
            ("5e-324", 5e-324), ("0x1p3", nil),
        ] as [(String, Double?)])
    func `TOML floats without digits on both sides of the point, or too large, are rejected`(
        _ written: String, _ wanted: Double?
    ) throws {
        let found = try? value(written)
        if case .number(let number)? = found {
            #expect(number == wanted)
        } else {
            #expect(wanted == nil, "\(written)")
        }
    }

    @Test(
        arguments: [
            ("2000-02-29", "date"), ("1900-02-29", nil), ("2021-04-31", nil), ("2021-13-01", nil),
            ("2021-00-01", nil), ("2021-01-00", nil), ("23:59:59.999999999", "time"),
            ("24:00:00", nil), ("12:60:00", nil), ("12:00", nil), ("12:00:00.", nil),
            ("2021-01-01t12:00:00z", "date-time"), ("2021-01-01T12:00:00-23:59", "date-time"),
            ("2021-01-01T12:00:00+24:00", nil), ("2021-01-01T", nil),
            ("2021-01-01 12:00:00", "date-time"),
            ("2021-1-1", nil), ("2021-01-01Z", nil), ("12:00:00Z", nil),
        ] as [(String, String?)])
    func `TOML dates and times that do not exist are rejected`(_ written: String, _ kind: String?)
        throws
    {
        let found = try? value(written)
        if case .other(let name)? = found {
            #expect(name == kind)
        } else {
            #expect(kind == nil, "\(written)")
        }
    }

    @Test(arguments: [
        ("1 = 1", ["1"]), ("1.2 = 1", ["1", "2"]), ("'a.b'.\"c\\u0064\" = 1", ["a.b", "cd"]),
        ("\"\" = 1", [""]), ("a . b\t.  c = 1", ["a", "b", "c"]), ("-_ = 1", ["-_"]),
        ("true = 1", ["true"]), ("[a.'b c']\nd = 1", ["a", "b c", "d"]),
    ])
    func `bare, quoted and dotted TOML keys are looked up by their unescaped parts`(
        _ text: String, _ path: [String]
    ) throws {
        var table: TOMLTable? = try TOMLDocument(text).root
        for name in path.dropLast() { table = table?[name]?.node.table }
        let name = try #require(path.last)
        #expect(table?[name]?.node.kind == "an integer")
        #expect(table?.members.count == 1)
    }

    @Test(arguments: [
        "a b = 1", "é = 1", "a. = 1", ".a = 1", "a..b = 1", "'''a''' = 1", "\"a\nb\" = 1",
        "[a]b = 1", "[a] b", "[]", "[a", "[ [a]]", "[[a] ]", "[a]]", "a = 1, b = 2", "a = {,}",
        "a = {b = 1,}", "a = {b = 1 c = 2}", "a = [1,,2]", "a = [,]", "= 1", "a == 1", "a = \"b\"c",
        "a = # b", "a = 1 # \u{1}", "# \u{7F}", "\u{FEFF}\u{FEFF}a = 1", "a = tru", "a = [1]]",
    ])
    func `malformed TOML keys, headers, arrays, inline tables and comments are syntax errors`(
        _ text: String
    ) {
        let error = #expect(throws: TOMLSyntaxError.self) { _ = try TOMLDocument("b = 1\n" + text) }
        #expect(error?.line ?? 0 >= 2)
    }

    @Test(arguments: [
        "", "\n", "\r\n", "# a", "\u{FEFF}", "\t# é\u{2028}\n\t\n", "a = [ # b\n1, # c\n]",
        "a=[]\nb={}", "[a]\n[b]", "[a.b]\n[a]", "[a.b.c]\n[a.b]\n[a]", "a.b = 1\na.c = 2",
        "[[a]]\n[a.b]\n[[a]]\n[a.b]", "[a]\nb.c = 1\n[a.d]", "[[a.b]]\n[[a.b]]",
    ])
    func `unusual but valid TOML is accepted`(_ text: String) {
        #expect(throws: Never.self) { _ = try TOMLDocument(text) }
    }

    @Test(arguments: [
        ("[a.b]\n[a]\nb.c = 1", "b is already defined"), ("a.b = 1\n[a]", "a is already defined"),
        ("[a]\n[a]", "a is already defined"), ("a = {b = 1}\na.c = 2", "a already has a value"),
        ("a = {b.c = 1, b.d = 2, b = 3}", "b is given twice"),
        ("a = []\n[a.b]", "a already has a value"),
        ("[[a]]\n[a]", "a is already defined"), ("a.b = 1\n[[a.b]]", "b already has a value"),
        ("a = [{b = 1, b = 2}]", "b is given twice"), ("a = 1\n'a' = 2", "a is given twice"),
    ])
    func `a TOML key or table that is defined twice is rejected`(_ text: String, _ message: String)
    {
        let error = #expect(throws: TOMLSyntaxError.self) { _ = try TOMLDocument(text) }
        #expect(error?.message == message)
    }

    @Test
    func `a TOML file truncated at any byte is accepted or rejected and never crashes the parser`()
    {
        let text =
            "a.\"b\" = [1, {c = '''x\ny'''}, 2020-01-01 01:02:03]\n[[d]] # e\nf = \"\\u00e9\"\n"
        let bytes = Array(text.utf8)
        for end in 0...bytes.count {
            let cut = String(decoding: bytes[..<end], as: UTF8.self)
            do {
                _ = try TOMLDocument(cut)
            } catch {
                #expect((1...4).contains(error.line), "\(cut)")
            }
        }
    }
}

struct TOMLTextTests {
    @Test(arguments: [
        // In each, the place of the x in the text is asked for.
        (#"when = "host=x""#, 1, 14),
        (#"when = 'a\nx'"#, 1, 12),
        (#"when = "a\n\u00e9\"x""#, 1, 20),
        (#"when = "€é x""#, 1, 12),
        ("when = \"\"\"\nab\n  cx\"\"\"", 3, 4),
        ("when = \"\"\"a\\\n\n   x\"\"\"", 3, 4),
        ("when = '''\r\na\r\nx'''", 3, 1),
    ])
    func `a column inside the value of a TOML string is mapped to a line and column in the file`(
        file: String, line: Int, column: Int
    ) throws {
        let text = try #require(try TOMLDocument(file).root["when"]?.node.text)
        let index = try #require(text.text.unicodeScalars.firstIndex(of: "x"))
        let wanted = text.text.unicodeScalars[..<index].count + 1
        #expect(text.position(ofColumn: wanted) == TextPosition(line: line, column: column))
    }

    @Test
    func `a column before or after a TOML string's text maps to the string's start or end`()
        throws
    {
        let text = try #require(try TOMLDocument("a = \"bc\"").root["a"]?.node.text)
        #expect(text.position == TextPosition(line: 1, column: 5))
        #expect(text.position(ofColumn: 0).column == 6)
        #expect(text.position(ofColumn: 3).column == 8)
        #expect(text.position(ofColumn: 1_000).column == 9)
    }
}
