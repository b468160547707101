internal import FuzzSupport
internal import ProxydConfigurationText
internal import TOMLKit

/// Configuration files: what is read is what TOMLKit reads, everything is where it is said to be,
/// and a mistake has a line of the file.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = FuzzInput(start, count).text()
    let lines = SourceLines(text)
    let document: TOMLDocument
    do throws(TOMLSyntaxError) {
        document = try TOMLDocument(text)
    } catch {
        require(lines.has(error.line), "a mistake outside of the text: \(error)")
        return 0
    }
    guard let judged = try? TOMLKit.TOMLTable(string: text) else {
        require(false, "read though it is no TOML")
        return 0
    }
    let root = TOMLNode(.table(document.root), at: .start)
    TreeComparison.check(root, judged)
    PlaceChecks(lines: lines).check(root)
    checkReader(text, lines)
    return 0
}

/// Reads a little as a file of rules, and says what is wrong in the order of the lines.
private func checkReader(_ text: String, _ lines: SourceLines) {
    do throws(ConfigurationError) {
        try TableReader.read(text, file: "f") { top in
            var listen = top.table("listen")
            _ = listen?.value("port", as: Int.self)
            listen?.finish()
            for var rule in top.tables("rule") {
                _ = rule.required("name", as: String.self)
                _ = rule.value("preset", as: [String].self)
                for var action in rule.tables("request") {
                    _ = action.value("value", as: Double.self)
                    action.finish()
                }
                rule.finish()
            }
        }
    } catch {
        require(!error.problems.isEmpty, "nothing is wrong")
        let found = error.problems.map { Int($0.location.dropFirst(2)) ?? 0 }
        require(found == found.sorted(), "out of order: \(error)")
        require(found.allSatisfy(lines.has), "outside of the text: \(error)")
        require(
            error.problems.allSatisfy { !$0.description.contains("\n") }, "more than one line")
    }
}
