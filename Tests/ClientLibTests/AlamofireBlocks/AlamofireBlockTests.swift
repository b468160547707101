import ClientLib
import ProxydClientTestSupport
import Testing

/// The code of Alamofire 5.12.0's documentation compiles after its import was changed, or is in
/// ComingFromAlamofire with what to write instead.
///
/// The functions are our own equivalents of the blocks: the same calls. That they compile is the
/// first half; they are run, too.
struct AlamofireBlockTests {
    private func count(_ isCounted: (AlamofireBlock.Outcome) -> Bool) -> Int {
        AlamofireBlock.all.filter { isCounted($0.outcome) }.count
    }

    /// The numbers of the pages' last blocks.
    @Test(arguments: [("readme", 8), ("usage", 68), ("advanced", 88)])
    func `the tests list every code block of Alamofire's documentation in order`(
        page: String, blockCount: Int
    ) {
        let rows = AlamofireBlock.all.filter { $0.page.rawValue == page }
        #expect(rows.map(\.number) == Array(1...blockCount))
    }

    @Test
    func `each Alamofire documentation code block that compiles has an equivalent in the tests`()
        throws
    {
        let sources = try Repository.sources(below: "Tests/ClientLibTests/AlamofireBlocks")
        for block in AlamofireBlock.all {
            switch block.outcome {
            case .same, .mended:
                let isThere = sources.contains { $0.contains("    func \(block.name)()") }
                #expect(isThere, "\(block.name)")
            case .instead, .none: continue
            }
        }
    }

    @Test
    func `the ComingFromAlamofire page lists exactly the Alamofire code that does not compile`()
        throws
    {
        let text = try Repository.text("Sources/ClientLib/ClientLib.docc/ComingFromAlamofire.md")
        let named = text.matches(of: /\| (README|Usage|Advanced) ([0-9 ,]+) \|/).flatMap { row in
            row.2.split { $0 == "," || $0 == " " }.map { "\(row.1.lowercased())\($0)" }
        }
        let wanted = AlamofireBlock.all.filter {
            switch $0.outcome {
            case .instead, .none: true
            case .same, .mended: false
            }
        }
        #expect(named.sorted() == wanted.map(\.name).sorted())
    }

    @Test func `the counts of Alamofire code blocks on the page ComingFromAlamofire are correct`()
        throws
    {
        let text = try Repository.text("Sources/ClientLib/ClientLib.docc/ComingFromAlamofire.md")
        let same = count { $0 == .same }
        let mended = count { if case .mended = $0 { true } else { false } }
        let instead = count { $0 == .instead }
        let none = count { if case .none = $0 { true } else { false } }
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("Of the \(AlamofireBlock.all.count) blocks"))
        #expect(words.contains("\(same) compile as they are"))
        #expect(words.contains("\(mended) do once a slip is mended"))
        #expect(words.contains("For \(instead) something else is written"))
        #expect(words.contains("\(none) are no code for Linux"))
    }

    /// Those that cancel, refuse or stop.
    private static let failing: Set = [
        "usage51", "usage62", "usage64", "usage65", "advanced26", "advanced34", "advanced84",
        "advanced86", "usage46Instead",
    ]

    @Test
    func `the ported code blocks of Alamofire's documentation run without unexpected failures`()
        async throws
    {
        let server = try ScriptedServer { request in
            if request.head.targetText.hasSuffix("/slow") { return [] }
            return ScriptedServer.response(
                200, #"{"name":"Ada"}"#, headers: [("Content-Type", "application/json")])
        }
        #expect(BlockRun.all.count > 120)
        for block in BlockRun.all {
            let run = try BlockRun(base: server.url)
            try await block.run(run)
            let failed = await run.failedRequests()
            if !Self.failing.contains(block.name) {
                #expect(failed.isEmpty, "\(block.name): \(failed.map { $0.error as Any })")
            }
            #expect(run.isRight, "\(block.name)")
        }
    }
}
