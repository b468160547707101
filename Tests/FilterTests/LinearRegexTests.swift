import Foundation
import ProxydTestSupport
import Testing

@testable import ProxydFilter

@Suite struct LinearRegexTests {
    private func matches(_ pattern: String, _ text: String) throws -> Bool {
        try LinearRegex(pattern, ignoresCase: false, isForBodies: false).matches(text.utf8.span)
    }

    @Test(arguments: [
        ("^abc", "abc"), ("^a\\.b*", "a."), ("^é.", "é"), ("abc", nil), ("^", nil), ("^a|b", nil),
        ("^(?i)a", nil), ("^[ab]", nil), ("(?m)^a", nil), ("^a?b", nil),
    ])
    func `only a regex that is anchored at the start has a literal prefix`(
        pattern: String, prefix: String?
    ) throws {
        let regex = try LinearRegex(pattern, ignoresCase: false, isForBodies: false)
        #expect(regex.literalPrefix == prefix)
    }

    @Test(arguments: [
        ("", ""), ("", "a"), ("a", "xax"), ("abc", "xxabcxx"), ("^a", "ab"), ("b$", "ab"),
        ("^$", ""), ("a|b", "b"), ("(a|b)c", "xbc"), ("a*", ""), ("a+b", "aab"), ("ab?c", "ac"),
        ("a{3}", "aaa"), ("^a{2,}$", "aaaa"), ("^a{1,2}$", "aa"), ("^a{0,1}b", "b"),
        ("[abc]", "c"), ("[^abc]", "d"), ("[a-c]x", "bx"), ("[]a]", "]"), ("[a-]", "-"),
        ("[\\]]", "]"), ("[\\d-]", "-"), ("\\d\\D\\w\\W\\s\\S", "1aa- x"), ("\\.", "."),
        ("\\bfoo\\b", "a foo b"), ("\\bfoo\\b", "foo"), ("\\Boo", "foo"), ("(?i)AbC", "aBc"),
        ("(?i:a)B", "AB"), ("(?:ab)+$", "abab"), ("(?<n>a)", "a"), ("(?P<n>a)", "a"),
        ("a.c", "aéc"), ("^.$", "😀"), ("^..$", "é1"), ("é+", "éé"), ("[à-ü]", "é"),
        ("[^é]", "e"), ("\\x41\\u00e9\\x{1F600}", "Aé😀"), ("(?m)^b$", "a\nb\nc"),
        ("(?s)a.b", "a\nb"), ("a*?b", "aab"), ("\\Aab\\z", "ab"), ("(a*)*b", "aaab"),
        ("(a|a)*$", "aaa"), ("x*$", "y"), ("()*", "a"), ("[[:]", ":"), ("\\/", "/"), ("}", "}"),
        ("(?i)[^a]", "b"), ("^[^\\n]*$", "abc"), ("a||b", ""), ("(|a)b", "b"),
    ])
    func `a linear-time regex matches every text that its pattern describes`(
        pattern: String, text: String
    )
        throws
    {
        #expect(try matches(pattern, text))
    }

    @Test(arguments: [
        ("a", ""), ("a", "A"), ("^b", "ab"), ("a$", "ab"), ("^$", "a"), ("a{3}", "aa"),
        ("^a{1,2}$", "aaa"), ("[abc]", "d"), ("[^abc]", "abc"), ("a.c", "a\nc"), ("^.$", "ab"),
        ("\\bfoo\\b", "afoo"), ("\\boo", "foo"), ("(?i:a)B", "Ab"), ("^b$", "a\nb\nc"),
        ("\\d", "٣"), ("[à-ü]", "e"), ("[^é]", "é"), ("(?i)[^a]", "A"), ("ab|cd", "acbd"),
        ("(ab){2}", "abxab"), ("a+b", "b"), ("\\Ab", "ab"), ("(a(?i)b)c", "aBC"),
    ])
    func `a linear-time regex does not match texts that its pattern excludes`(
        pattern: String, text: String
    )
        throws
    {
        #expect(try !matches(pattern, text))
    }

    @Test(arguments: [
        "(", ")", "[", "a**", "*a", "+", "a{2", "a{3,2}", "a{1001}", "\\", "\\1", "(?=a)", "(?!a)",
        "(?<=a)", "(?<!a)", "(?x)", "[b-a]", "[\\d-z]", "\\q", "\\xZZ", "\\u{110000}", "(?P=n)",
        "(?<n", "[a", "a{,3}", "(((((a{100}){100}){100}){100}){100})",
        String(repeating: "(", count: 60) + String(repeating: ")", count: 60),
    ])
    func `invalid, unsupported and oversized regex patterns are rejected`(pattern: String) {
        #expect(throws: RegexError.self) { try matches(pattern, "") }
    }

    @Test func `regex patterns that make backtracking engines explode run in linear time`() throws {
        let text = String(repeating: "a", count: 100_000) + "!"
        for pattern in ["(a+)+$", "(a*)*b", "(a|aa)+$", "^(([a-z])+.)+[A-Z]$", "(.*)(.*)(.*)z"] {
            #expect(try !matches(pattern, text))
        }
    }

    @Test func `a regex with very many states still matches correctly`() throws {
        let regex = try LinearRegex("a.{100}b.{60}c", ignoresCase: false, isForBodies: false)
        var generator = SplitMix(seed: 1)
        let text = (0..<20_000).map { _ in [UInt8(ascii: "a"), UInt8(ascii: "d")].pick(&generator) }
        #expect(!regex.matches(bytes: text))
        let hit = "a" + String(repeating: "b", count: 161) + "c"
        #expect(regex.matches(bytes: text + Array(hit.utf8)))
    }

    @Test func `deeply nested repetitions of an empty regex group terminate`() throws {
        let pattern = String(repeating: "(", count: 40) + String(repeating: "){1000}", count: 40)
        #expect(try matches(pattern, ""))
    }

    @Test func `a regex for bodies also matches bytes that are not UTF-8`() throws {
        let body: [UInt8] = [0x61, 0xFF, 0x0A, 0x62]
        let forBodies = try LinearRegex("a..b", ignoresCase: false, isForBodies: true)
        let forTexts = try LinearRegex("a..b", ignoresCase: false, isForBodies: false)
        #expect(forBodies.matches(bytes: body))
        #expect(!forTexts.matches(bytes: body))
    }

    @Test func `random regex patterns match the same texts as NSRegularExpression does`() throws {
        var generator = SplitMix(seed: 2)
        for _ in 0..<300 {
            let pattern = randomPattern(depth: 3, &generator)
            let reference = try NSRegularExpression(pattern: pattern)
            for _ in 0..<10 {
                let text = (0..<6).map { _ in ["a", "b", "-", "é", "1"].pick(&generator) }.joined()
                let range = NSRange(text.startIndex..., in: text)
                let expected = reference.firstMatch(in: text, range: range) != nil
                #expect(try matches(pattern, text) == expected, "\(pattern) on \(text)")
            }
        }
    }

    private func randomPattern(depth: Int, _ generator: inout SplitMix) -> String {
        let atom = ["a", "b", "-", "é", "[ab]", "[^a]", "\\d", "\\D", ".", "^", "$"]
        guard depth > 0 else { return atom.pick(&generator) }
        let left = randomPattern(depth: depth - 1, &generator)
        let right = randomPattern(depth: depth - 1, &generator)
        return switch Int.random(in: 0..<6, using: &generator) {
        case 0: "(\(left)|\(right))"
        case 1: "(\(left))*\(right)"
        case 2: "(\(left))+"
        case 3: "(\(left)){1,2}\(right)"
        case 4: "(\(left))?\(right)"
        default: left + right
        }
    }

    @Test func `the UTF-8 sequences of a scalar range match exactly the scalars in the range`()
        throws
    {
        for range in [0x80...0x10FFFF, 0x7FF...0x800, 0xFFFF...0x10000, 0xE9...0x4E2D] {
            let set = ScalarSet([UInt32(range.lowerBound)...UInt32(range.upperBound)])
            let sequences = set.ranges.flatMap(UTF8Sequences.sequences)
            for value in stride(from: UInt32(0x80), through: 0x10FFFF, by: 251) {
                guard let scalar = Unicode.Scalar(value) else { continue }
                let bytes = Array(String(scalar).utf8)
                let isIn = sequences.contains { sequence in
                    sequence.count == bytes.count
                        && zip(sequence, bytes).allSatisfy { $0.contains($1) }
                }
                #expect(isIn == range.contains(Int(value)))
            }
        }
    }
}

extension LinearRegex {
    /// A span cannot stand inside #expect.
    fileprivate func matches(bytes: [UInt8]) -> Bool { matches(bytes.span) }
}
