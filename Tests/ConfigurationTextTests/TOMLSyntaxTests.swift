import ProxydConfigurationText
import Testing

struct TOMLSyntaxTests {
    @Test(arguments: [
        ("a = 1\nb = \n", 2), ("a", 1), ("[[rule]]\nname = \"a\n", 2), ("a = 1\n[b\n", 2),
        ("a = [1,\n2,\n", 3), ("a = 1 b = 2", 1), ("x = 1\n\n\na = {b = 1", 4),
        ("a = \"\\q\"", 1), ("a = \"\\uD800\"", 1), ("a = 1\n= 2", 2), ("a = '''\nb\n", 3),
        ("a = 1\r\nb = 01\r\n", 2), ("a = 1\ra = 2", 1), ("a = 99999999999999999999", 1),
        ("a = nil", 1), ("a = nan0", 1),
        // What only TOMLKit refuses.
        ("[a]\n[b]\n[a]\n", 3), ("a = 2021-02-30", 1), ("a = {}\na.b = 1\n", 2),
        ("a = 1__0", 1), ("a.b = 1\na.b = 2", 2), ("a = []\n[[a]]", 2), ("\"\"\"a\"\"\" = 1", 1),
    ])
    func `a TOML syntax error is reported with its line`(text: String, line: Int) {
        let error = #expect(throws: TOMLSyntaxError.self) { _ = try TOMLDocument(text) }
        #expect(error?.line == line, "\(error?.message ?? "")")
        #expect(error?.message.isEmpty == false)
    }

    @Test(arguments: [
        "[" + String(repeating: "a.", count: 100_000) + "a]",
        String(repeating: "a.", count: 100_000) + "a = 1",
        "a = " + String(repeating: "[", count: 100_000),
        "a = " + String(repeating: "{a=", count: 100_000),
        "a = {" + String(repeating: "a.", count: 500) + "a = 1}",
        "a = " + String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
    ])
    func `TOML nested more than 64 levels deep by any syntax is rejected`(text: String) {
        let error = #expect(throws: TOMLSyntaxError.self) { _ = try TOMLDocument("\n" + text) }
        #expect(error?.line == 2)
        #expect(error?.message == "nested more than 64 levels deep")
    }

    @Test func `TOML arrays nested 64 levels deep are accepted`() throws {
        let brackets = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        _ = try TOMLDocument("a = " + brackets)
    }

    @Test(arguments: [
        ("[,]", "expected a key, found \",\""),
        ("[", "expected a key, found the end of the file"),
        ("[=\n", "expected a key, found \"=\""),
        ("[€]", "expected a key, found \"€\""),
        ("[[a]", "expected ]] after the table's name, found the end of the file"),
        ("a\n", "expected = after the key, found the end of the line"),
        ("a = \n", "expected a value, found the end of the line"),
        ("a = 1 2", "expected the line to end, found \"2\""),
        ("a = [1 2]", "expected , or ] in the array, found \"2\""),
        (
            "a = { b = 1\n}",
            "expected , or } in the inline table, which must be on one line, "
                + "found the end of the line"
        ),
        ("a = -99999999999999999999", "-99999999999999999999 is too large"),
        ("a = 0xFFFFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFFF is too large"),
        ("a = 1e999", "1e999 is too large"),
        ("a = -0x1", "-0x1 is not a value; strings need quotes"),
        ("a = yes", "yes is not a value; strings need quotes"),
        ("a = 1\na = 2", "a is given twice"),
        ("a = 1\n[a]", "a already has a value"),
        ("a = 1\n[[a]]", "a already has a value"),
        ("[a]\n[[a]]", "a is not an array of tables"),
    ])
    func `a TOML syntax error has a message that says what is wrong`(text: String, message: String)
    {
        let error = #expect(throws: TOMLSyntaxError.self) { _ = try TOMLDocument(text) }
        #expect(error?.message == message)
    }
}
