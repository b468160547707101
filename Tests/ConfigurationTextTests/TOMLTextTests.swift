import ProxydConfigurationText
import Testing

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
    func `a column before or after a TOML string's text maps to the nearest place in the file`()
        throws
    {
        let text = try #require(try TOMLDocument("a = \"bc\"").root["a"]?.node.text)
        #expect(text.position == TextPosition(line: 1, column: 5))
        #expect(text.position(ofColumn: 0).column == 6)
        #expect(text.position(ofColumn: 3).column == 8)
        #expect(text.position(ofColumn: 1_000).column == 9)
    }
}
