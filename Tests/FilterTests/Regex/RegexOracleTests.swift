import Foundation
import ProxydTestSupport
import Testing

@testable import ProxydFilter

@Suite struct RegexOracleTests {
    private struct Trial {
        let regex: RandomRegex
        let text: String
        let timesMax: Int?

        init(_ generator: inout SplitMix) {
            regex = RandomRegex(depth: 3, repeatsEmpty: false, &generator)
            let alphabet = ["a", "b", "-", "é", "1", "a", "b"]
            // Until 3.14 Python finds no \B in an empty text.
            let length = Int.random(in: 1...9, using: &generator)
            text = (0..<length).map { _ in alphabet.pick(&generator) }.joined()
            timesMax = [nil, nil, 1, 2].pick(&generator)
        }

        /// Ours, and Python's.
        var template: String { "<" + parts.map { "${\($0)}" }.joined(separator: ",") + ">" }
        var python: PythonSubstitution {
            PythonSubstitution(
                pattern: regex.text,
                template: "<" + parts.map { "\\g<\($0)>" }.joined(separator: ",") + ">",
                text: text, count: timesMax ?? 0)
        }

        private var parts: [Int] { Array(0...regex.groupCount) }
    }

    @Test(.enabled(if: PythonSubstitution.interpreter != nil, "python3 is not there"))
    func `random regex replacements give the same result as in Python`() throws {
        var generator = SplitMix(seed: 20_26)
        let trials = (0..<1_500).map { _ in Trial(&generator) }
        let expected = try PythonSubstitution.results(of: trials.map(\.python))
        #expect(expected.count == trials.count)
        for (trial, expected) in zip(trials, expected) {
            let replacement = try RegexReplacement(
                pattern: trial.regex.text, template: trial.template, isForBodies: false)
            let outcome = replacement.outcome(Array(trial.text.utf8), timesMax: trial.timesMax)
            let found: (text: String, count: Int)
            switch outcome {
            case .changed(let bytes, let count, let places):
                found = (String(decoding: bytes, as: UTF8.self), count)
                #expect(places.count == count)
            case .unchanged: found = (trial.text, 0)
            case .tooLarge: found = ("too large", 0)
            }
            #expect(
                found == (expected.text, expected.count),
                "\(trial.regex.text) on \(trial.text): \(expected.text)")
        }
    }

    @Test func `a regex replacement finds a match if and only if the regex search does`() throws {
        var generator = SplitMix(seed: 7)
        for _ in 0..<600 {
            let regex = RandomRegex(depth: 3, repeatsEmpty: true, &generator)
            let isForBodies = Bool.random(using: &generator)
            let replacement = try RegexReplacement(
                pattern: regex.text, template: "", isForBodies: isForBodies)
            let search = try LinearRegex(regex.text, ignoresCase: false, isForBodies: isForBodies)
            let text = (0..<6).map { _ in Array("ab-1".utf8).pick(&generator) }
            let isFound = replacement.outcome(text) != .unchanged
            #expect(isFound == search.matches(text.span), "\(regex.text) on \(text)")
            #expect(isFound == replacement.matches(text.span), "\(regex.text) on \(text)")
        }
    }

    @Test
    func `replacing regex matches with themselves keeps all bytes, and no character is split`()
        throws
    {
        var generator = SplitMix(seed: 9)
        let pieces: [[UInt8]] = [
            [0x61], [0x62], [0x31], [0x0A], Array("é".utf8), Array("😀".utf8), [0xC3], [0xA9],
            [0xF0, 0x9F], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xFF],
        ]
        for _ in 0..<300 {
            let regex = RandomRegex(depth: 2, repeatsEmpty: true, &generator)
            let count = Int.random(in: 0...12, using: &generator)
            let text = (0..<count).flatMap { _ in pieces.pick(&generator) }
            let same = try RegexReplacement(
                pattern: regex.text, template: "$0", isForBodies: true)
            #expect(same.replaced(text) ?? text == text, "\(regex.text) on \(text)")
            let gone = try RegexReplacement(
                pattern: regex.text, template: "|", isForBodies: true)
            let valid = Array(String(decoding: text, as: UTF8.self).utf8)
            let rest = gone.replaced(valid) ?? valid
            #expect(String(validating: rest, as: UTF8.self) != nil, "\(regex.text) on \(valid)")
        }
    }
}

/// A random pattern that Python, Perl and we read alike.
struct RandomRegex {
    let text: String
    let groupCount: Int

    /// - Parameter repeatsEmpty: Whether what may take nothing may be repeated. How long such a
    ///   loop goes on, and what its groups keep, engines do not agree about.
    init(depth: Int, repeatsEmpty: Bool, _ generator: inout SplitMix) {
        var builder = Builder(repeatsEmpty: repeatsEmpty)
        text = builder.sequence(depth: depth, &generator).text
        groupCount = builder.groupCount
    }

    private struct Part {
        var text: String
        var mayBeEmpty: Bool
    }

    private struct Builder {
        let repeatsEmpty: Bool
        var groupCount = 0

        init(repeatsEmpty: Bool) { self.repeatsEmpty = repeatsEmpty }

        private static let atoms = [
            "a", "b", "-", "é", "[ab]", "[^a]", "\\d", "\\D", "\\w", ".", "ab", "1",
        ]
        private static let assertions = ["^", "\\Z", "\\b", "\\B"]

        mutating func sequence(depth: Int, _ generator: inout SplitMix) -> Part {
            var whole = Part(text: "", mayBeEmpty: true)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let part = item(depth: depth, &generator)
                whole.text += part.text
                whole.mayBeEmpty = whole.mayBeEmpty && part.mayBeEmpty
            }
            return whole
        }

        private mutating func item(depth: Int, _ generator: inout SplitMix) -> Part {
            if Int.random(in: 0..<12, using: &generator) == 0 {
                return Part(text: Builder.assertions.pick(&generator), mayBeEmpty: true)
            }
            guard depth > 0, Bool.random(using: &generator) else {
                let atom = Part(text: "(?:\(Builder.atoms.pick(&generator)))", mayBeEmpty: false)
                return repeated(atom, &generator)
            }
            return repeated(group(depth: depth, &generator), &generator)
        }

        private mutating func group(depth: Int, _ generator: inout SplitMix) -> Part {
            let captures = Bool.random(using: &generator)
            if captures { groupCount += 1 }
            var inner = sequence(depth: depth - 1, &generator)
            while Int.random(in: 0..<3, using: &generator) == 0 {
                let other = sequence(depth: depth - 1, &generator)
                inner.text += "|" + other.text
                inner.mayBeEmpty = inner.mayBeEmpty || other.mayBeEmpty
            }
            return Part(
                text: (captures ? "(" : "(?:") + inner.text + ")", mayBeEmpty: inner.mayBeEmpty)
        }

        private mutating func repeated(_ part: Part, _ generator: inout SplitMix) -> Part {
            let quantifiers = ["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{1,}"]
            guard Bool.random(using: &generator), repeatsEmpty || !part.mayBeEmpty else {
                return part
            }
            let quantifier = quantifiers.pick(&generator)
            let isLazy = Int.random(in: 0..<3, using: &generator) == 0
            return Part(
                text: part.text + quantifier + (isLazy ? "?" : ""),
                mayBeEmpty: part.mayBeEmpty || ["*", "?", "{0,2}"].contains(quantifier))
        }
    }
}

/// What Python's `re` makes of patterns, templates and texts.
struct PythonSubstitution: Codable {
    let pattern: String
    /// Written as Python writes templates.
    let template: String
    let text: String
    /// 0 for all.
    let count: Int

    static let interpreter: String? = ["/usr/bin/python3", "/usr/local/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private static let program = """
        import json, re, sys
        print(json.dumps([
            re.subn(c["pattern"], c["template"], c["text"], count=c["count"], flags=re.ASCII)
            for c in json.load(sys.stdin)]))
        """

    /// The new text of each case, and how many matches were replaced.
    static func results(of cases: [PythonSubstitution]) throws -> [(text: String, count: Int)] {
        let process = Process()
        process.executableURL = URL(filePath: interpreter ?? "")
        process.arguments = ["-c", program]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(cases))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return try JSONDecoder().decode([Result].self, from: answer).map { ($0.text, $0.count) }
    }

    private struct Result: Decodable {
        let text: String
        let count: Int

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            text = try values.decode(String.self)
            count = try values.decode(Int.self)
        }
    }
}
