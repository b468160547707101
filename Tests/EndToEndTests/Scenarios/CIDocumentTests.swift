import Foundation
import ProxydTestSupport
import Testing

/// The pipeline of docs/CI.md, run as it is written there.
struct CIDocumentTests {
    /// The files of the document: blocks of code whose first line names one.
    private func files() throws -> [String: String] {
        let url = RepositoryFiles.root.appendingPathComponent("docs/CI.md")
        var files: [String: String] = [:]
        var open: (name: String, lines: [Substring])?
        for line in try String(contentsOf: url, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        {
            if line.hasPrefix("```") {
                if let done = open { files[done.name] = done.lines.joined(separator: "\n") + "\n" }
                let words = line.split(separator: " ")
                open = open == nil && words.count == 2 ? (String(words[1]), []) : nil
            } else {
                open?.lines.append(line)
            }
        }
        return files
    }

    private func checkout() throws -> (folder: ScratchFolder, command: String) {
        let files = try files()
        let folder = try ScratchFolder()
        for (name, text) in files { try folder.write(name, text) }
        let pipeline = try #require(files[".github/workflows/traffic.yml"])
        let lines = pipeline.split(separator: "\n").filter { $0.contains("run: proxyctl assert") }
        let command = try #require(lines.first?.split(separator: ":", maxSplits: 1).last)
        return (folder, String(command))
    }

    private func run(
        _ command: String, in folder: ScratchFolder, environment: [String: String] = [:]
    ) throws -> Tool.Outcome {
        let programs = (try Tool.built("proxyctl") as NSString).deletingLastPathComponent
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try Tool.run(
            "/bin/sh", ["-ec", command],
            environment: environment.merging(["PATH": "\(programs):\(path)"]) { $1 },
            directory: folder.path)
    }

    @Test func `the CI pipeline in the documentation passes if the server responds as expected`()
        throws
    {
        let (folder, command) = try checkout()
        let outcome = try run(command, in: folder)
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
        #expect(outcome.text.hasSuffix("all 6 hold\n"))
        let report = String(decoding: try folder.content(of: "report.xml"), as: UTF8.self)
        #expect(report.contains("tests=\"6\" failures=\"0\""))
    }

    @Test func `the CI pipeline in the documentation fails if the server responds with errors`()
        throws
    {
        let (folder, command) = try checkout()
        let outcome = try run(command, in: folder, environment: ["BROKEN": "1"])
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("FAIL  every answer is healthy and quick  3 exchanges\n"))
        #expect(outcome.text.contains("does not match status<500"))
        #expect(outcome.text.contains("FAIL  the cart"))
        #expect(outcome.text.contains("- status 200\n        + status 500"))
        let har = String(decoding: try folder.content(of: "failed.har"), as: UTF8.self)
        #expect(har.contains("/cart") && !har.contains("/login"))
    }

    @Test func `the golden file in the CI documentation equals the one that --update writes`()
        throws
    {
        let (folder, _) = try checkout()
        let written = try folder.content(of: "checks/golden/cart.jsonl")
        try folder.remove("checks/golden/cart.jsonl")
        let outcome = try run(
            "proxyctl assert checks/shop.toml --update -- python3 tests/shop_test.py", in: folder)
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
        #expect(try folder.content(of: "checks/golden/cart.jsonl") == written)
    }
}
