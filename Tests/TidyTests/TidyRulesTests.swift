import Testing

/// The rules find what they are for, and nothing else.
struct TidyRulesTests {
    @Test(arguments: [
        "import CLibevent", "internal import CLibevent", "public import Capture",
        "@preconcurrency import Capture", "import struct Capture.Store",
    ])
    func `a forbidden import is found`(line: String) {
        let file = SourceFile(path: "Sources/HTTPWire/A.swift", text: "// x\n\(line)\n")
        #expect(ImportRules.findings(in: file).map(\.line) == [2])
    }

    @Test func `allowed imports and text about imports pass`() {
        let text = "public import HTTPModel\n// import Capture\nlet text = \"import Capture\"\n"
        let file = SourceFile(path: "Sources/HTTPWire/A.swift", text: text)
        #expect(ImportRules.findings(in: file).isEmpty)
    }

    @Test func `a module without rules is found`() {
        let file = SourceFile(path: "Sources/Unknown/A.swift", text: "")
        #expect(ImportRules.findings(in: file).count == 1)
    }

    @Test(arguments: [
        ("    func f() {", "    }"), ("public static func f() {", "}"),
        ("    init(a: Int) throws {", "    }"), ("    deinit {", "    }"),
        ("    @Test func `a name (with words)`() {", "    }"),
        ("    func f(\n        a: Int\n    ) -> Int {", "    }"),
        ("    public private(set) static func f<A>(a: A) where A: B {", "    }"),
    ])
    func `a long function is found`(head: String, tail: String) {
        func file(bodyLineCount: Int) -> SourceFile {
            let body = Array(repeating: "        x()", count: bodyLineCount)
            let text = ([head] + body + [tail, "}"]).joined(separator: "\n")
            return SourceFile(path: "Sources/A/A.swift", text: text)
        }
        let headLineCount = head.split(separator: "\n").count
        let fits = SizeRules.functionLineCountMax - headLineCount - 1
        #expect(SizeRules.findings(in: file(bodyLineCount: fits)).isEmpty)
        #expect(SizeRules.findings(in: file(bodyLineCount: fits + 1)).map(\.line) == [1])
    }

    @Test func `requirements without a body have no length`() {
        let requirements = Array(repeating: "    func f()\n    init()\n", count: 100).joined()
        let file = SourceFile(path: "Sources/A/A.swift", text: "protocol P {\n\(requirements)}\n")
        #expect(SizeRules.findings(in: file).isEmpty)
    }

    @Test func `long lines and files are found`() {
        let text = String(repeating: "é", count: 101) + "\n" + String(repeating: "x\n", count: 500)
        let file = SourceFile(path: "Sources/A/A.swift", text: text)
        #expect(SizeRules.findings(in: file).map(\.line) == [501, 1])
    }

    @Test(arguments: [
        "} catch {}", "} catch let error {\n}", "    } catch {\n    }",
        "public var base: OpaquePointer", "let x = try! f()", "fatalError(\"x\")",
        "final class A: @unchecked Sendable {", "nonisolated(unsafe) var x = 0",
    ])
    func `what is dangerous is found`(text: String) {
        #expect(safetyFindings(text).map(\.line) == [1])
    }

    @Test(arguments: [
        "} catch {\n    // Gone already: nothing to close.\n}", "private var base: OpaquePointer",
        "// Proof: the pattern is a literal.\nlet x = try! f()", "let x = \"try! // x\"",
        "/// Only on its loop.\nfinal class A: @unchecked Sendable {",
    ])
    func `what has its reason passes`(text: String) {
        #expect(safetyFindings(text).isEmpty)
    }

    @Test(arguments: [
        "let ns = seconds * 1_000_000_000", "f(Int64(a.seconds!) &* 1_000_000)", "a[1] *= 1_000",
        "let ns = (a + b) * 1000", "    * 1_000_000", "let ns = 1_000 * micros",
        "let (ns, isOver) = micros.multipliedReportingOverflow(by: 1_000)", "x8 * 1_000_000000",
    ])
    func `a product of a unit of time is found`(line: String) {
        #expect(safetyFindings(line).map(\.line) == [1])
    }

    @Test(arguments: [
        "let century: Int64 = 100 * 366 * 86_400 * 1_000_000_000", "ns / 1_000", "count * 10_000",
        "seconds * 1e3", "// seconds * 1_000", "ns.flooredDivision(by: 1_000_000_000)",
        "let sql = \"\"\"\n  SELECT seconds * 1000000\n  \"\"\"", "f(1_000, *a)",
    ])
    func `what is no product of a unit passes`(text: String) {
        #expect(safetyFindings(text).isEmpty)
    }

    private func safetyFindings(_ text: String) -> [Finding] {
        SafetyRules.findings(in: SourceFile(path: "Sources/A/A.swift", text: text))
    }

    @Test(arguments: [
        "let a = 1  // An octet.", "/// Nobody calls it.", "let text = \"goes on for ever\"",
        "func `somebody waits`() {}", "let a = \"\\(b(c)) octets\"", "let `octet` = 1",
        "func takeOctets() {}", "let a = #\"nobody \"quoted\"\"#", "let a = ##\"a\"#\"##, octets",
    ])
    func `a word that has a plainer one is found`(line: String) {
        let file = SourceFile(path: "Sources/A/A.swift", text: line)
        #expect(ProseRules.findings(in: file).map(\.line) == [1])
    }

    @Test(arguments: [
        "let nobody: [UInt8]", "/// The column `octets`.", "let a = \"\\(nobody)\"",
        "let type = \"application/octet-stream\"", "legs(V_ASN1_OCTET_STRING)",
        "#if canImport(A)",
    ])
    func `what is not prose passes`(line: String) {
        let file = SourceFile(path: "Sources/A/A.swift", text: line)
        #expect(ProseRules.findings(in: file).isEmpty)
    }

    @Test func `a literal of code in a test is no name`() {
        let text = "let a = #\"{\"octets\":1}\"#"
        let file = SourceFile(path: "Tests/ATests/A.swift", text: text)
        #expect(ProseRules.findings(in: file).isEmpty)
    }

    @Test func `words of documents are found outside of code`() {
        let text = "Nobody waits.\n`octets`\n```sql\nSELECT octets\n```\nAn octet."
        #expect(ProseRules.findings(inDocument: "A.md", text).map(\.line) == [1, 6])
    }
}
