import Foundation
import Testing

/// The code of the documentation is code that tests run.
struct SnippetTests {
    private static let pages = [
        "ClientLib": [
            "ClientLib", "GettingStarted", "ComingFromAlamofire", "ReplayingCaptures",
            "WebSocketsAndStreams", "HowParametersTravel",
        ],
        "ClientTargets": ["ClientTargets", "ComingFromMoya"],
    ]
    private static let files =
        pages.flatMap { module, pages in pages.map { "\(folder(of: module))/\($0).md" } }
        + ["README.md"]

    /// The catalogue of a module.
    private static func folder(of module: String) -> String {
        "Sources/\(module)/\(module).docc"
    }

    /// Lines with single spaces, none in front, without empty lines and what is imported.
    private func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    @Test(arguments: files)
    func `each Swift code block in the documentation is run by a test`(file: String) throws {
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

    @Test(arguments: pages)
    func `the start page of a documentation catalogue links to every other page`(
        module: String, pages: [String]
    ) throws {
        let folder = Self.folder(of: module)
        let start = try Repository.text("\(folder)/\(module).md")
        for page in pages.dropFirst() { #expect(start.contains("<doc:\(page)>"), "\(page)") }
        let there = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: folder).path)
        #expect(Set(there) == Set(pages.map { $0 + ".md" }))
    }
}

/// The files of the repository that the tests are in.
enum Repository {
    static let root: URL = {
        var folder = URL(filePath: #filePath)
        while folder.pathComponents.count > 1 {
            folder.deleteLastPathComponent()
            let manifest = folder.appending(path: "docs/CLIENT-FEATURES.md").path
            if FileManager.default.fileExists(atPath: manifest) { break }
        }
        return folder
    }()

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The Swift files below a folder.
    static func sources(below path: String) throws -> [String] {
        let folder = root.appending(path: path)
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        return try (names ?? []).filter { $0.hasSuffix(".swift") }.sorted().map {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }
    }
}
