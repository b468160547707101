import Foundation
import ProxydTestSupport
import Testing

/// The code in docs/EMBEDDING.md.
@Suite struct DocumentTests {
    @Test
    func `every code block in EMBEDDING.md comes from the example program or ProxyLib's tests`()
        throws
    {
        let parts = try RepositoryFiles.text("docs/EMBEDDING.md")
            .components(separatedBy: "```swift\n").dropFirst()
        let blocks = parts.compactMap { $0.components(separatedBy: "```").first }
        #expect(blocks.count == 7)
        let compiled = try [
            "Examples/Sources/HeaderProxy/HeaderProxy.swift", "Tests/ProxyLibTests/World.swift",
            "Tests/ProxyLibTests/ProxyTests.swift",
        ].map { unindented(try RepositoryFiles.text($0)) }
        for block in blocks where !block.hasPrefix(".package") {
            #expect(compiled.contains { $0.contains(unindented(block)) }, "\(block)")
        }
    }

    private func unindented(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: "\n")
    }
}
