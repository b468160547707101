import Testing

/// The code of the documentation's pages is code that was compiled.
struct SnippetTests {
    private static let pages = [
        "GettingStarted", "ComingFromAlamofire", "ComingFromMoya", "ReplayingCaptures",
    ]

    /// Lines without the spaces in front of them and without empty ones.
    private func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    }

    @Test(arguments: pages)
    func `each block of code on a page is a part of the compiled snippets`(page: String) throws {
        let compiled = try Repository.sources(below: "Examples/Sources/Snippets").map(lines)
        try #require(!compiled.isEmpty)
        let path = "Sources/ClientLib/ClientLib.docc/\(page).md"
        let blocks = try Repository.text(path).matches(of: /```swift\n((?s).*?)```/)
        #expect(!blocks.isEmpty)
        for block in blocks {
            let wanted = lines(block.1)
            #expect(compiled.contains { $0.contains(wanted) }, "\(page): \(block.1)")
        }
    }

    @Test func `the catalogue leads to every page`() throws {
        let start = try Repository.text("Sources/ClientLib/ClientLib.docc/ClientLib.md")
        for page in Self.pages { #expect(start.contains("<doc:\(page)>"), "\(page)") }
    }
}
