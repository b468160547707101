import Foundation
import Testing

/// The sources keep the rules that CONTRIBUTING.md explains.
struct TidyTests {
    @Test func `the tidy checks find the source files and the test files`() {
        #expect(SourceFile.sources.count > 10)
        #expect(SourceFile.tests.count > 5)
    }

    @Test(arguments: Set(SourceFile.sources.map(\.module)).sorted())
    func `modules import only what the architecture allows`(module: String) {
        report(
            SourceFile.sources.filter { $0.module == module }.flatMap(ImportRules.findings)
        )
    }

    @Test(arguments: ImportRules.allowed.keys.sorted())
    func `every import that the architecture allows is used`(module: String) {
        let files = SourceFile.sources.filter { $0.module == module }
        #expect(ImportRules.unused(by: module, in: files) == [])
    }

    @Test func `each folder of ProxyEngine uses only the folders below it`() {
        report(FolderRules.findings(in: SourceFile.sources.filter { $0.module == "ProxyEngine" }))
    }

    @Test func `source lines, functions and files are within their length limits`() {
        report(SourceFile.all.flatMap(SizeRules.findings))
    }

    @Test func `no source contains an unsafe construct without a comment that justifies it`() {
        report(SourceFile.sources.flatMap(SafetyRules.findings))
    }

    @Test
    func `comments, test names and messages contain none of the words that the prose check bans`() {
        report(SourceFile.all.flatMap(ProseRules.findings))
    }

    @Test func `the documentation contains none of the words that the prose check bans`() throws {
        let folder = SourceFile.root.appending(path: "docs")
        let guides = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }
        #expect(guides.count > 10)
        let others = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
        for path in others + guides.sorted() {
            let text = try String(
                contentsOf: SourceFile.root.appending(path: path), encoding: .utf8)
            report(ProseRules.findings(inDocument: path, text))
        }
    }

    /// A module that waits for its code needs one file, so that it builds.
    @Test func `a module with several files has no file without code`() {
        let byModule = Dictionary(grouping: SourceFile.all, by: \.module)
        let empty = byModule.values.filter { $0.count > 1 }.joined().filter { file in
            file.lines.allSatisfy { $0.isEmpty || $0.hasPrefix("//") }
        }
        report(empty.map { Finding(file: $0.path, line: 1, message: "the file has no code") })
    }

    /// Packages of benchmarks have links to files of the tests.
    @Test func `every symbolic link in the repository leads to a file`() throws {
        let files = FileManager.default.enumerator(
            at: SourceFile.root, includingPropertiesForKeys: [.isSymbolicLinkKey])
        var linkCount = 0
        for case let file as URL in try #require(files) {
            if [".build", ".git"].contains(file.lastPathComponent) {
                files?.skipDescendants()
            } else if try file.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true
            {
                linkCount += 1
                // This follows links.
                #expect(FileManager.default.fileExists(atPath: file.path), "\(file.path)")
            }
        }
        #expect(linkCount > 0)
    }

    private func report(
        _ findings: [Finding],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for finding in findings {
            Issue.record("\(finding.description)", sourceLocation: sourceLocation)
        }
    }
}
