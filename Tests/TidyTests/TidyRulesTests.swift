import Testing

/// The rules find what they are for, and nothing else.
struct TidyRulesTests {
    @Test(arguments: [
        "import CLibevent", "internal import CLibevent", "public import Capture",
        "@preconcurrency import Capture", "import struct Capture.Store",
    ])
    func `the import check finds a forbidden import`(line: String) {
        let file = SourceFile(path: "Sources/HTTPWire/A.swift", text: "// x\n\(line)\n")
        #expect(ImportRules.findings(in: file).map(\.line) == [2])
    }

    @Test func `the folder check finds the use of a type from a folder above, not from one below`()
    {
        let files = [
            ("Clients", "class A {\n    let b: B\n}\n"),
            ("Tunnels", "class B {\n    let a: A\n}\n"),
        ]
        .map { SourceFile(path: "Sources/ProxyEngine/\($0)/F.swift", text: $1) }
        let findings = FolderRules.findings(in: files)
        #expect(findings.map(\.file) == ["Sources/ProxyEngine/Clients/F.swift"])
        #expect(findings.map(\.line) == [2])
    }

    @Test func `the import check accepts allowed imports, and ignores comments and strings`() {
        let text = "public import HTTPModel\n// import Capture\nlet text = \"import Capture\"\n"
        let file = SourceFile(path: "Sources/HTTPWire/A.swift", text: text)
        #expect(ImportRules.findings(in: file).isEmpty)
    }

    @Test func `the import check reports a module without import rules`() {
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
    func `the length check finds a long function`(head: String, tail: String) {
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

    @Test func `the length check ignores protocol requirements, which have no body`() {
        let requirements = Array(repeating: "    func f()\n    init()\n", count: 100).joined()
        let file = SourceFile(path: "Sources/A/A.swift", text: "protocol P {\n\(requirements)}\n")
        #expect(SizeRules.findings(in: file).isEmpty)
    }

    @Test func `the length check finds long lines and long files`() {
        let text = String(repeating: "é", count: 101) + "\n" + String(repeating: "x\n", count: 500)
        let file = SourceFile(path: "Sources/A/A.swift", text: text)
        #expect(SizeRules.findings(in: file).map(\.line) == [501, 1])
    }

    @Test(arguments: [
        "} catch {}", "} catch let error {\n}", "    } catch {\n    }",
        "public var base: OpaquePointer", "let x = try! f()", "fatalError(\"x\")",
        "final class A: @unchecked Sendable {", "nonisolated(unsafe) var x = 0",
    ])
    func `the safety check finds unsafe constructs without a comment`(text: String) {
        #expect(safetyFindings(text).map(\.line) == [1])
    }

    @Test(arguments: [
        "} catch {\n    // Gone already: nothing to close.\n}", "private var base: OpaquePointer",
        "// Proof: the pattern is a literal.\nlet x = try! f()", "let x = \"try! // x\"",
        "/// Only on its loop.\nfinal class A: @unchecked Sendable {",
    ])
    func `the safety check accepts unsafe constructs that a comment justifies`(text: String) {
        #expect(safetyFindings(text).isEmpty)
    }

    @Test(arguments: [
        "let ns = seconds * 1_000_000_000", "f(Int64(a.seconds!) &* 1_000_000)", "a[1] *= 1_000",
        "let ns = (a + b) * 1000", "    * 1_000_000", "let ns = 1_000 * micros",
        "let (ns, isOver) = micros.multipliedReportingOverflow(by: 1_000)", "x8 * 1_000_000000",
    ])
    func `the safety check finds multiplications that convert units of time`(line: String) {
        #expect(safetyFindings(line).map(\.line) == [1])
    }

    @Test(arguments: [
        "let century: Int64 = 100 * 366 * 86_400 * 1_000_000_000", "ns / 1_000", "count * 10_000",
        "seconds * 1e3", "// seconds * 1_000", "ns.flooredDivision(by: 1_000_000_000)",
        "let sql = \"\"\"\n  SELECT seconds * 1000000\n  \"\"\"", "f(1_000, *a)",
    ])
    func `the overflow check accepts divisions, products of literals, comments and SQL`(
        text: String
    ) {
        #expect(safetyFindings(text).isEmpty)
    }

    @Test(arguments: [
        "value = value * 10 + Int(byte)", "digits.reduce(0) { $0 * 16 + Int($1) }",
        "let text = \"REDACTED\"",
    ])
    func `the safety check finds number parsing that may overflow, and the literal REDACTED`(
        line: String
    ) {
        #expect(safetyFindings(line).map(\.line) == [1])
    }

    @Test(arguments: [
        "value = value &* 10 &+ Int(byte)", "let share = count * 10", "// value * 10 + digit",
        "let text = \"not redacted\"",
    ])
    func `the safety check accepts number parsing with wrapping arithmetic`(line: String) {
        #expect(safetyFindings(line).isEmpty)
    }

    @Test func `the safety check accepts the word REDACTED in the redaction module`() {
        let file = SourceFile(path: "Sources/Redaction/A.swift", text: "let word = \"REDACTED\"")
        #expect(SafetyRules.findings(in: file).isEmpty)
    }

    @Test(arguments: [
        "// Only numbers.", "let a = 0  // Exclusive: only numbers.",
        "// Exclusive: only numbers." + String(repeating: "\n", count: 8),
    ])
    func `the safety check finds an unchecked property without a proof right above it`(
        above: String
    ) {
        let line = above.split(separator: "\n", omittingEmptySubsequences: false).count + 1
        let findings = safetyFindings(above + "\n    @exclusivity(unchecked) var a = 0")
        #expect(findings.map(\.line) == [line])
    }

    @Test(arguments: [
        "    // Exclusive: only numbers.\n    @exclusivity(unchecked) var a = 0",
        "// Exclusive: only numbers.\n\n/// A.\n@exclusivity(unchecked) var a = 0\n"
            + "/// B.\n@exclusivity(unchecked) private var b = 0",
        "// Why not @exclusivity(unchecked).", "let text = \"@exclusivity(unchecked)\"",
    ])
    func `the safety check accepts unchecked properties below a proof`(text: String) {
        #expect(safetyFindings(text).isEmpty)
    }

    private func safetyFindings(_ text: String) -> [Finding] {
        SafetyRules.findings(in: SourceFile(path: "Sources/A/A.swift", text: text))
    }

    @Test(arguments: [
        "let a = 1  // An octet.", "/// Nobody calls it.", "let text = \"goes on for ever\"",
        "func `somebody waits`() {}", "let a = \"\\(b(c)) octets\"", "let `octet` = 1",
        "func takeOctets() {}", "let a = #\"nobody \"quoted\"\"#", "let a = ##\"a\"#\"##, octets",
        "final class HoldDesk {}", "var shelves = 0", "let firstLane = 1", "struct FlightPlan {}",
        "let isOutdoors = isDoorOpen", "MessageMessage()", "a.tellsWhatItTook", "[house(b)]",
    ])
    func `the prose check finds words that have a plainer synonym`(line: String) {
        let file = SourceFile(path: "Sources/A/A.swift", text: line)
        #expect(ProseRules.findings(in: file).map(\.line) == [1])
    }

    @Test(arguments: [
        "let nobody: [UInt8]", "/// The column `octets`.", "let a = \"\\(nobody)\"",
        "let type = \"application/octet-stream\"", "legs(V_ASN1_OCTET_STRING)",
        "#if canImport(A)", "let inFlightCount = isInFlight ? Inflight.count : 0",
        "let isIndoor = isDesktop", "let planeCount = warehouse(preflight)",
    ])
    func `the prose check ignores identifiers, code in comments and media types`(line: String) {
        let file = SourceFile(path: "Sources/A/A.swift", text: line)
        #expect(ProseRules.findings(in: file).isEmpty)
    }

    @Test func `the prose check ignores string literals in tests`() {
        let text = "let a = #\"{\"octets\":1}\"#"
        let file = SourceFile(path: "Tests/ATests/A.swift", text: text)
        #expect(ProseRules.findings(in: file).isEmpty)
    }

    @Test func `the prose check finds words in documents, but not in code`() {
        let text = "Nobody waits.\n`octets`\n```sql\nSELECT octets\n```\nAn octet."
        #expect(ProseRules.findings(inDocument: "A.md", text).map(\.line) == [1, 6])
    }
}
