import ProxydConfigurationText
import Testing

struct TableReaderTests {
    @Test func `the TOML table reader returns values and subtables by key`() throws {
        let text = "[a]\nname = \"n\"\nrates = [1, 2.5]\n[a.b]\non = true\n"
        try TableReader.read(text, file: "f") { top in
            var table = top.table("a")
            #expect(table?.required("name", as: String.self) == "n")
            #expect(table?.value("rates", as: [Double].self) == [1, 2.5])
            #expect(table?.value("absent", as: Int.self) == nil)
            var inner = table?.table("b")
            #expect(inner?.value("on", as: Bool.self) == true)
            #expect(inner?.position == TextPosition(line: 4, column: 4))
            inner?.finish()
            table?.finish()
        }
    }

    @Test(arguments: [
        ("x = 1", "f:1: unknown key x"),
        ("listn = 1", "f:1: unknown key listn; did you mean listen?"),
        ("[listn]", "f:1: unknown table listn; did you mean listen?"),
        ("[[rul]]", "f:1: unknown table rul; did you mean rule?"),
        ("listen = 1", "f:1: listen is a table: write [listen]"),
        ("\n[rule]", "f:2: rule is an array of tables: write [[rule]]"),
        ("rule = [\n{},\n1]", "f:3: rule: expected a table, found an integer"),
        ("[listen]\nport = 'x'", "f:2: listen.port: expected an integer, found a string"),
        ("[listen]\nports = 1", "f:2: unknown key listen.ports; did you mean listen.port?"),
        ("[[rule]]\nnames = 1", "f:2: unknown key names; did you mean name?"),
        ("[[rule]]\nname = 1", "f:2: name: expected a string, found an integer"),
        (
            "[listen]\nhosts = [\n'a',\n1,\n2]",
            "f:4: listen.hosts: expected a string, found an integer"
        ),
        (
            "[listen]\nport = 1.5",
            "f:2: listen.port: expected an integer, found a floating-point number"
        ),
        ("a = \n", "f:1: "),
    ])
    func `the TOML table reader reports an unknown key or a wrong type with its line`(
        text: String, message: String
    ) {
        let found = problems(text)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(message) == true, "\(found)")
    }

    @Test func `a missing required TOML key is reported with the line where its table begins`() {
        #expect(
            problems("\n[[rule]]\n[listen]\n", requiresAll: true) == [
                "f:2: a rule needs a name", "f:3: listen.port is missing",
            ])
    }

    @Test func `the TOML table reader reports all mistakes in the order of the file`() {
        let text = "[[rule]]\nname = 1\nx = 2\n[listen]\ny = 1\nport = 'p'\n[[rule]]\nname = 2\n"
        #expect(problems(text).map { $0.prefix(4) } == ["f:2:", "f:3:", "f:5:", "f:6:", "f:8:"])
    }

    @Test func `arrays and booleans that are written as TOML and read again are unchanged`() throws
    {
        let texts = ["", "a\"b\\c", "\u{0}\t\n\u{7F}", "é€😀"]
        let written = "a = \(texts.tomlText)\nb = \([1.5, 2, -0.25].tomlText)\nc = \(true.tomlText)"
        let document = try TOMLDocument(written)
        #expect(try [String](toml: document.node("a")) == texts)
        #expect(try [Double](toml: document.node("b")) == [1.5, 2, -0.25])
        #expect(try Bool(toml: document.node("c")))
    }

    private func problems(_ text: String, requiresAll: Bool = false) -> [String] {
        do {
            try TableReader.read(text, file: "f") { top in
                if var listen = top.table("listen") {
                    if requiresAll {
                        _ = listen.required("port", as: Int.self)
                    } else {
                        _ = listen.value("port", as: Int.self)
                    }
                    _ = listen.value("hosts", as: [String].self)
                    listen.finish()
                }
                for var rule in top.tables("rule") {
                    if requiresAll {
                        _ = rule.required("name", as: String.self, or: "a rule needs a name")
                    } else {
                        _ = rule.text("name")
                    }
                    rule.finish()
                }
            }
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}

struct NearMissTests {
    @Test(
        arguments: [
            ("whne", "when"), ("nme", "name"), ("zzz", nil), ("limits.head", "limits.headed"),
            ("", nil),
        ] as [(String, String?)])
    func `the error for a misspelled name suggests the nearest known name if it is close enough`(
        name: String, meant: String?
    ) {
        #expect(NearMiss.of(name, among: ["name", "when", "limits.headed"]) == meant)
    }

    @Test func `the error for a misspelled name of a million characters suggests nothing`() {
        let name = String(repeating: "a", count: 1_000_000)
        #expect(NearMiss.hint(for: name, among: ["aaa"]) == "")
        #expect(NearMiss.hint(for: "aab", among: ["aaa"]) == "; did you mean aaa?")
    }
}
