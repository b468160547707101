import ProxydTestSupport
import Testing

@testable import ProxydFilter

/// The search for a text, which ignores the case of ASCII letters.
@Suite struct ByteSearchTests {
    private func isFound(_ needle: String, _ text: String) -> Bool {
        ByteSearch(needle).isFound(in: text.utf8.span)
    }

    @Test(arguments: [
        ("", ""), ("", "a"), ("a", "A"), ("A", "a"), ("aab", "AAAB"), ("abab", "abacabab"),
        ("é", "é"), ("[x]", "a[X]b"), ("@", "@"), ("aaa", "baaa"), ("issip", "mississippi"),
    ])
    func `a byte search finds a text and ignores the case of ASCII letters`(
        needle: String, text: String
    ) { #expect(isFound(needle, text)) }

    @Test(arguments: [
        ("a", ""), ("ab", "a"), ("é", "É"), ("[", "{"), ("@", "`"), ("aaab", "aabaab"),
        ("ab", "a b"), ("issipx", "mississippi"),
    ])
    func `a byte search does not find a text that is absent or differs in more than ASCII case`(
        needle: String, text: String
    ) { #expect(!isFound(needle, text)) }

    /// Needles that repeat themselves are those that a wrong table misses.
    @Test func `a byte search finds the same random texts as a naive search`() {
        var random = SplitMix(seed: 3)
        for _ in 0..<3_000 {
            let needle = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                ["a", "b", "A"].pick(&random)
            }.joined()
            let text = (0..<Int.random(in: 0..<14, using: &random)).map { _ in
                ["a", "b", "B", "c"].pick(&random)
            }.joined()
            let (low, lowText) = (needle.lowercased(), text.lowercased())
            let places = lowText.indices.map { lowText[$0...] } + [""]
            let wanted = places.contains { $0.hasPrefix(low) }
            #expect(isFound(needle, text) == wanted, "\(needle) in \(text)")
        }
    }

    @Test func `a byte search lowercases only the ASCII letters of the text that it looks for`() {
        #expect(ByteSearch("AbÉ").needleText == "abÉ")
    }
}
