import Foundation
import Testing

/// The code of the documentation is code that tests run.
struct SnippetTests {
    private static let pages = [
        "ClientLib", "GettingStarted", "ComingFromAlamofire", "ComingFromMoya", "ReplayingCaptures",
        "WebSocketsAndStreams", "HowParametersTravel",
    ]
    private static let files =
        pages.map { "Sources/ClientLib/ClientLib.docc/\($0).md" } + ["README.md"]

    /// Lines with single spaces, none in front, without empty lines and what is imported.
    private func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    @Test(arguments: files)
    func `each block of code on a page is run by a test`(file: String) throws {
        let folder = "Tests/ClientLibTests/Documentation"
        let snippets = try Repository.sources(below: folder + "/Snippets").map(lines)
        let words = Set(
            try Repository.text(folder + "/SnippetRunTests.swift").split { !$0.isLetter })
        let text = try Repository.text(file)
        let all = text.matches(of: /```(\w*)\n((?s).*?)```/)
        // A manifest is tried by scripts/examples.
        let blocks = all.filter { $0.1 == "swift" && !$0.2.contains(".package(") }
        if file.hasSuffix("GettingStarted.md") { #expect(blocks.count >= 8) }
        for block in blocks {
            let wanted = lines(block.2)
            let found = snippets.lazy.compactMap { name(of: wanted, in: $0) }.first
            guard let found else {
                Issue.record("\(file): not among the snippets: \(block.2)")
                continue
            }
            #expect(words.contains(found), "\(file): no test runs \(found)")
        }
    }

    /// The name of the function or type of a snippet that has these lines; nil where there is none.
    private func name(of wanted: [String], in snippet: [String]) -> Substring? {
        let declaration = /^(?:static )?(?:func|struct|enum|extension) (\w+)/
        guard let first = wanted.first else { return nil }
        let starts = snippet.indices.filter {
            snippet[$0] == first && snippet[$0...].starts(with: wanted)
        }
        guard let start = starts.first else { return nil }
        if let own = first.firstMatch(of: declaration) { return own.1 }
        return snippet[..<start].reversed().lazy.compactMap {
            $0.hasPrefix("static func") ? $0.firstMatch(of: declaration)?.1 : nil
        }.first
    }

    @Test func `the catalogue leads to every page`() throws {
        let start = try Repository.text("Sources/ClientLib/ClientLib.docc/ClientLib.md")
        for page in Self.pages.dropFirst() { #expect(start.contains("<doc:\(page)>"), "\(page)") }
        let folder = Repository.root.appending(path: "Sources/ClientLib/ClientLib.docc").path
        let there = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(Set(there) == Set(Self.pages.map { $0 + ".md" }))
    }
}
