import Testing

@testable import ProxydFilter

@Suite struct RegexReplacementTests {
    private func replaced(
        _ pattern: String, _ template: String, _ text: String, timesMax: Int? = nil
    ) throws -> String {
        let replacement = try RegexReplacement(
            pattern: pattern, template: template, isForBodies: false)
        return replacement.replaced(Array(text.utf8), timesMax: timesMax).map {
            String(decoding: $0, as: UTF8.self)
        } ?? "(unchanged)"
    }

    @Test(arguments: [
        ("alice", "bob", "alice, alice", "bob, bob"), ("a|ab", "X", "ab", "Xb"),
        ("ab|a", "X", "ab a", "X X"), ("a*", "X", "baac", "XbXXcX"), ("x*", "-", "abc", "-a-b-c-"),
        ("x*", "-", "abxd", "-a-b--d-"), ("|a", "-", "a", "---"), ("a+?", "X", "aaa", "XXX"),
        ("a+", "X", "aaa", "X"), ("<.+>", "X", "<a><b>", "X"), ("<.+?>", "X", "<a><b>", "XX"),
        ("a??b", "X", "ab", "X"), ("a{2}?", "X", "aaa", "Xa"), ("a{1,3}?", "X", "aaa", "XXX"),
        ("a{1,3}", "X", "aaaa", "XX"), ("^a", "X", "aa", "Xa"), ("a$", "X", "aa", "aX"),
        ("(?m)^", "> ", "a\nb", "> a\n> b"), ("\\b", "|", "a b", "|a| |b|"), ("^", "X", "", "X"),
        ("$", "X", "ab", "abX"), ("", "-", "aé", "-a-é-"), (".", "X", "é😀", "XX"),
        ("(?i)ALICE", "bob", "Alice", "bob"), ("[é-ü]", "?", "aéü", "a??"),
    ])
    func `a regex replacement gives the same result as in Perl`(
        pattern: String, template: String, text: String, result: String
    ) throws {
        #expect(try replaced(pattern, template, text) == result)
    }

    @Test(arguments: [
        ("(\\w+)/(\\d+)", "$1-x/$2", "t/1 u/2", "t-x/1 u-x/2"), ("(a)(b)?", "[$1|$2]", "a", "[a|]"),
        ("(a|ab)(c|bcd)(d*)", "<$1><$2><$3>", "abcd", "<a><bcd><>"),
        ("(?:x)(?<n>y)(?P<m>z)", "$2$1", "xyz", "zy"), ("(a)|(b)", "<$1,$2>", "ab", "<a,><,b>"),
        ("((a)(b))", "$3$2$1", "ab", "baab"), ("(?:(a)|b)*", "[$1]", "ab", "[a][]"),
        ("(a*)(a*)", "$1,$2", "aa", "aa,,"), ("(a*?)(a*)$", "$1,$2", "aa", ",aa,"),
        ("(.*)=(.*)", "$2=$1", "a=b=c", "c=a=b"), ("(.*?)=(.*)", "$2=$1", "a=b=c", "b=c=a"),
        ("(a){3}", "$1", "aaaa", "aa"), ("(\\d+)$", "$1$1", "a12", "a1212"),
    ])
    func `group references in a regex template are replaced by what the groups matched`(
        pattern: String, template: String, text: String, result: String
    ) throws {
        #expect(try replaced(pattern, template, text) == result)
    }

    @Test(arguments: [
        ("$0$0", "aa"), ("$$1", "$1"), ("$$$0", "$a"), ("$", "$"), ("a$", "a$"), ("$x", "$x"),
        ("${", "${"), ("${0}", "a"), ("${x}", "${x}"), ("$00", "a0"), ("\\1 &", "\\1 &"),
        ("${0", "${0"), ("", ""), ("é$0😀", "éa😀"), ("$ 0", "$ 0"),
    ])
    func `a dollar sign in a regex template is literal unless it refers to a group or is doubled`(
        template: String, result: String
    ) throws {
        #expect(try replaced("a", template, "a") == result)
    }

    @Test func `a group number after a dollar sign in a regex template has at most two digits`()
        throws
    {
        let pattern = String(repeating: "(.)", count: 12)
        #expect(try replaced(pattern, "$12$11${1}2$123", "abcdefghijkl") == "lka2l3")
    }

    @Test(arguments: [
        ("a", "x$1", 2, "there is no group 1, the pattern has no groups"),
        ("(a)", "$2", 1, "there is no group 2, the pattern has 1 group"),
        (
            "(a)", "é$10", 2,
            "there is no group 10, the pattern has 1 group: write ${1}0 for group 1 and a 0"
        ),
        ("(a)(b)", "${33}", 1, "there is no group 33, the pattern has 2 groups"),
        (
            "(a)", "${99999999999999999999}", 1,
            "there is no such group, the pattern has 1 group"
        ),
    ])
    func `a regex template that refers to a missing group is rejected`(
        pattern: String, template: String, column: Int, message: String
    ) throws {
        let error = #expect(throws: RegexError.self) {
            try RegexReplacement(pattern: pattern, template: template, isForBodies: false)
        }
        #expect(error?.subject == .template)
        #expect(error?.column == column)
        #expect(error?.message == message)
    }

    @Test func `a mistake in the pattern of a regex replacement is reported with its column`()
        throws
    {
        let error = #expect(throws: RegexError.self) {
            try RegexReplacement(pattern: "é(", template: "", isForBodies: false)
        }
        #expect(error?.subject == .pattern)
        #expect(error?.description == "column 2: this ( is never closed")
    }

    @Test func `a regex replacement can be limited to a number of matches`() throws {
        #expect(try replaced("a", "b", "aaa", timesMax: 2) == "bba")
        #expect(try replaced("a", "b", "aaa", timesMax: 0) == "(unchanged)")
        #expect(try replaced("c", "b", "aaa") == "(unchanged)")
        let all = try RegexReplacement(pattern: "a", template: "a", isForBodies: false)
        let places = [0, 2].map {
            RegexReplacement.Change(range: $0..<$0 + 1, newRange: $0..<$0 + 1)
        }
        let outcome = all.outcome(Array("aba".utf8))
        #expect(outcome == .changed(Array("aba".utf8), count: 2, places: places))
    }

    @Test func `a regex replacement whose result exceeds the byte limit is reported as too large`()
        throws
    {
        let double = try RegexReplacement(pattern: "a", template: "$0$0", isForBodies: false)
        let text = Array("xaay".utf8)
        let fitting = double.outcome(text, byteCountMax: 6)
        guard case .changed(Array("xaaaay".utf8), count: 2, let places) = fitting else {
            Issue.record("\(fitting)")
            return
        }
        #expect(places.map(\.range) == [1..<2, 2..<3] && places.map(\.newRange) == [1..<3, 3..<5])
        for byteCountMax in 0..<6 {
            #expect(double.outcome(text, byteCountMax: byteCountMax) == .tooLarge)
        }
        #expect(double.outcome(Array("xxxx".utf8), byteCountMax: 0) == .unchanged)
    }

    @Test
    func `in a body regex, a dot matches line ends and stray bytes, but never half a character`()
        throws
    {
        let dot = try RegexReplacement(pattern: ".", template: "x", isForBodies: true)
        #expect(dot.replaced(Array("é\n😀".utf8)) == Array("xxx".utf8))
        #expect(dot.replaced([0xFF, 0xC3, 0x61, 0xF0, 0x9F]) == Array("xxxxx".utf8))
        let two = try RegexReplacement(pattern: "^..$", template: "x", isForBodies: true)
        #expect(two.replaced(Array("é".utf8)) == nil)
        let other = try RegexReplacement(pattern: "[^é]b", template: "x", isForBodies: true)
        #expect(other.replaced(Array("éb".utf8)) == nil)
        #expect(other.replaced([0xA9, 0x62]) == Array("x".utf8))
        let none = try RegexReplacement(pattern: "", template: "-", isForBodies: true)
        #expect(none.replaced([0x61, 0xC3, 0xA9, 0xC3]) == Array("-a-é-".utf8) + [0xC3, 0x2D])
    }

    @Test func `a regex match is found at any position of a long text`() throws {
        // What is remembered of a long text has borders: none of them may show.
        let replacement = try RegexReplacement(
            pattern: "(b+)(c)", template: "$2$1", isForBodies: true)
        for length in [2_045, 2_046, 2_047, 2_048, 2_049, 4_095, 4_096, 4_097] {
            let text = Array(repeating: UInt8(ascii: "a"), count: length)
            let result = replacement.replaced(text + Array("bbbc".utf8) + text)
            #expect(result == text + Array("cbbb".utf8) + text)
        }
        let long = Array(repeating: UInt8(ascii: "b"), count: 10_000)
        #expect(replacement.replaced(long + [0x63]) == [0x63] + long)
    }
}

extension RegexReplacement {
    /// What a text becomes; nil where nothing matches. A span cannot stand inside #expect.
    func replaced(_ text: [UInt8], timesMax: Int? = nil) -> [UInt8]? {
        guard case .changed(let bytes, _, _) = outcome(text, timesMax: timesMax) else { return nil }
        return bytes
    }

    func outcome(
        _ text: [UInt8], timesMax: Int? = nil, byteCountMax: Int = 1 << 20
    ) -> Outcome {
        replacing(in: text.span, timesMax: timesMax, byteCountMax: byteCountMax)
    }
}
